import type { ActionKind } from './actions';
import type { Draw } from './draw';
import { sources, type Place } from './places';
import { leavingOut } from './selection';
import type { Users } from './users';
import { withValueAt } from '../apiserver/json';
import type { Step, World } from './world';

/** Features of installs whose selectors exclude the objects that carry a label. */
export interface LeavingOut {
  readonly leavesOutSources: boolean;
  readonly leavesOutNamespaces: boolean;
}

export const nothingLeftOut: LeavingOut = { leavesOutSources: false, leavesOutNamespaces: false };

type Plain = Omit<World, 'hybrid' | 'dark'>;

/** Adds these features to some worlds. Their own draws keep a world without them as it is. */
export function withLeavingOut(world: Plain, draw: Draw): Plain {
  const leavingOut = { leavesOutSources: draw.chance(0.06), leavesOutNamespaces: draw.chance(0.09) };
  const kinds: readonly ActionKind[] = [
    ...(leavingOut.leavesOutSources ? (['leave-out-source', 'take-in-source-after-edit'] as const) : []),
    ...(leavingOut.leavesOutNamespaces ? (['leave-out-namespace', 'take-in-namespace-after-edit'] as const) : []),
  ];
  if (kinds.length === 0) return world;
  const features = { ...world.features, ...leavingOut };
  // The number of restarts in a calm world is known, because only contents change in it.
  if (world.calm) return { ...world, features };
  const steps: Step[] = [];
  for (let left = draw.int(1, 4); left > 0; left--) {
    const atMs = draw.int(1, world.stormMs - 1);
    steps.push({ kind: draw.pickAny(kinds) ?? 'edit-source', atMs, uponWrite: draw.chance(0.1), seed: draw.seed() });
  }
  return { ...world, features, steps: [...world.steps, ...steps].sort((left, right) => left.atMs - right.atMs) };
}

interface Stage {
  readonly users: Users;
  readonly later: (delayMs: number, run: () => void) => void;
}

const namespaces = ['default', 'shop'] as const;

/** What people do with a label that excludes the object that carries it. */
export const leavingOutActions = {
  'leave-out-source': ({ users }: Stage, draw: Draw) => leaveOut(users, users.usedSource(draw), draw.chance(0.5)),
  'take-in-source-after-edit': (stage: Stage, draw: Draw) => {
    const source = stage.users.usedSource(draw);
    takeInAfterEdit(stage, source, source, draw);
  },
  'leave-out-namespace': ({ users }: Stage, draw: Draw) => leaveOut(users, namespacePlace(draw), draw.chance(0.5)),
  'take-in-namespace-after-edit': (stage: Stage, draw: Draw) => {
    const place = namespacePlace(draw);
    const source = draw.pickAny(sources.filter(({ namespace }) => namespace === place.name)) ?? sources[0];
    takeInAfterEdit(stage, place, source, draw);
  },
};

/** Labels `place` so that it is left out, mostly edits the source, and removes the label; then maybe edits again. */
function takeInAfterEdit({ users, later }: Stage, place: Place, source: Place, draw: Draw): void {
  if (!isLeftOut(users, place)) leaveOut(users, place, true);
  const edit = (): void => users.editSource(source, draw);
  const editMs = draw.int(0, draw.pick([900, 5_000]));
  const backMs = editMs + draw.pick([draw.int(0, 900), draw.int(2_500, 20_000)]);
  if (draw.chance(0.85)) later(editMs, edit);
  later(backMs, () => leaveOut(users, place, false));
  if (draw.chance(0.6)) later(backMs + draw.pick([draw.int(0, 900), draw.int(1_000, 20_000)]), edit);
}

function labelOf({ kind }: Place): readonly [string, string] {
  return kind === 'Namespace' ? leavingOut.namespace : leavingOut.source;
}

function isLeftOut(users: Users, place: Place): boolean {
  return users.object(place)?.metadata.labels?.[labelOf(place)[0]] !== undefined;
}

function leaveOut(users: Users, place: Place, isLeft: boolean): void {
  const [key, value] = labelOf(place);
  users.edits.change(place, isLeft ? 'leave out' : 'take in', (current) =>
    withValueAt(current, ['metadata', 'labels', key], isLeft ? value : undefined),
  );
}

function namespacePlace(draw: Draw): Place {
  return { kind: 'Namespace', namespace: '', name: draw.pick(namespaces) };
}
