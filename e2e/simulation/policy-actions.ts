import { askOtherwise, ignore, match } from './annotating-users';
import type { Draw } from './draw';
import { sources, workloads, type Place } from './places';
import { ignoreAnnotation } from './source-flags';
import { usageOf } from './usage';
import type { Users } from './users';

interface Stage {
  readonly users: Users;
  readonly later: (delayMs: number, run: () => void) => void;
}

const auto = 'reloader.stakater.com/auto';

/** The time between two consecutive actions. */
function gapMs(draw: Draw): number {
  return draw.pick([draw.int(0, 900), draw.int(2_500, 6_000), draw.int(6_000, 20_000)]);
}

/** Mostly edits the source, then calls `begin` so that it counts, and then maybe edits it again. */
function afterEdit({ users, later }: Stage, source: Place, draw: Draw, begin: () => void): void {
  const edit = (): void => users.editSource(source, draw);
  const beginMs = gapMs(draw);
  if (draw.chance(0.85)) edit();
  later(beginMs, begin);
  if (draw.chance(0.6)) later(beginMs + gapMs(draw), edit);
}

/** What people do to turn restarts on and off. */
export const policyActions = {
  'ignore-source': ({ users }: Stage, draw: Draw) => ignore(users, users.usedSource(draw), true),
  'heed-source': ({ users }: Stage, draw: Draw) => ignore(users, ignoredSource(users, draw), false),
  'heed-after-edit': (stage: Stage, draw: Draw) => {
    const { users } = stage;
    const source = ignoredSource(users, draw);
    if (!isIgnored(users, source)) ignore(users, source, true);
    afterEdit(stage, source, draw, () => ignore(users, source, false));
  },
  'opt-in-after-edit': (stage: Stage, draw: Draw) => {
    const { users } = stage;
    const workload = draw.pickAny(workloads.filter((place) => isOptedOut(users, place))) ?? users.anyWorkload(draw);
    if (!isOptedOut(users, workload)) users.annotate(workload, { [auto]: 'false' });
    afterEdit(stage, usedBy(users, workload, draw), draw, () => users.annotate(workload, { [auto]: undefined }));
  },
  'ask-otherwise': ({ users }: Stage, draw: Draw) => askOtherwise(users, users.anyWorkload(draw), draw),
  'match-source': ({ users }: Stage, draw: Draw) => match(users, searchedSource(users, draw), draw.chance(0.6)),
  'match-after-edit': (stage: Stage, draw: Draw) => {
    const { users } = stage;
    const source = searchedSource(users, draw);
    match(users, source, false);
    afterEdit(stage, source, draw, () => match(users, source, true));
  },
};

function isIgnored(users: Users, source: Place): boolean {
  return users.object(source)?.metadata.annotations?.[ignoreAnnotation] === 'true';
}

function isOptedOut(users: Users, workload: Place): boolean {
  return users.object(workload)?.metadata.annotations?.[auto] === 'false';
}

function ignoredSource(users: Users, draw: Draw): Place {
  const ignored = sources.filter((source) => isIgnored(users, source));
  return (draw.chance(0.7) ? draw.pickAny(ignored) : undefined) ?? users.usedSource(draw);
}

/** A source that counts for a workload only while it has the `match` annotation, if there is one. */
function searchedSource(users: Users, draw: Draw): Place {
  const objects = workloads.flatMap((workload) => users.object(workload) ?? []);
  const uses = objects.flatMap((object) => [...usageOf(object)]);
  const searched = new Set(uses.flatMap(([source, { ifMatched }]) => (ifMatched ? source : [])));
  const places = sources.filter(({ kind, namespace, name }) => searched.has(`${kind} ${namespace}/${name}`));
  return draw.pickAny(places) ?? users.usedSource(draw);
}

/** A source that would restart the workload if it were opted in, if there is one. */
function usedBy(users: Users, workload: Place, draw: Draw): Place {
  const object = users.object(workload);
  if (!object) return users.anySource(draw);
  const annotations = { ...object.metadata.annotations, [auto]: 'true' };
  const used = usageOf({ ...object, metadata: { ...object.metadata, annotations } });
  const places = sources.filter(({ kind, namespace, name }) => used.has(`${kind} ${namespace}/${name}`));
  return draw.pickAny(places) ?? users.anySource(draw);
}
