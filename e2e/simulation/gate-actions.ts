import { configMap } from '../apiserver/cluster';
import { withValueAt } from '../apiserver/json';
import { ownNamespace } from '../engine-settings';
import type { CsiDriver } from './csi-driver';
import { classes } from './csi-mounts';
import type { Draw } from './draw';
import { gateKeys, gatesOf, openAgainAndAgain } from './gate-annotations';
import { drawHold, drawInterval, drawWindows } from './gate-draws';
import { isUsedBy } from './pausing-users';
import { sources, workloads, type Place } from './places';
import type { Reconcilers } from './reconcilers';
import type { Users } from './users';

interface Stage {
  readonly users: Users;
  readonly replicas: Reconcilers;
  readonly later: (delayMs: number, run: () => void) => void;
  readonly nowMs: () => number;
  /** Undefined if no CSI driver is installed. */
  readonly csi: CsiDriver | undefined;
}

/** A workload, and a source that it uses. */
interface Pair {
  readonly workload: Place;
  readonly source: Place;
}

const classKind = 'SecretProviderClass';
export const everything: Place = { kind: 'ConfigMap', namespace: ownNamespace, name: 'reroll-hold' };
const namespaces: readonly Place[] = ['default', 'shop'].map((name) => ({ kind: 'Namespace', namespace: '', name }));

/** When restarts are held, and when they may begin. Each gate is put up around an edit of a source that it concerns. */
export const gateActions = {
  hold: (stage: Stage, draw: Draw) => {
    const pair = drawPair(stage, draw);
    const bearer = drawBearer(pair, draw);
    aroundEdit(stage, pair, draw, () => say(stage.users, bearer, 'hold', drawHold(draw, stage.nowMs())));
    if (draw.chance(0.5)) {
      stage.later(draw.int(1_000, 30_000), () => say(stage.users, bearer, 'hold', draw.pick([undefined, 'false'])));
    }
  },
  'hold-everything': (stage: Stage, draw: Draw) => {
    const { users, later } = stage;
    aroundEdit(stage, drawPair(stage, draw), draw, () => holdEverything(stage, draw));
    if (draw.chance(0.6)) later(draw.int(1_000, 30_000), () => releaseEverything(users, draw));
    if (draw.chance(0.2)) later(draw.int(1_000, 40_000), () => holdEverything(stage, draw));
  },
  /** Whoever leads next knows nothing but what is stored. */
  'hold-and-take-over': (stage: Stage, draw: Draw) => {
    const { users, later, replicas } = stage;
    const pair = drawPair(stage, draw);
    const bearer = drawBearer(pair, draw);
    const isOfEverything = draw.chance(0.4);
    aroundEdit(stage, pair, draw, () => {
      if (isOfEverything) holdEverything(stage, draw);
      else say(users, bearer, 'hold', drawHold(draw, stage.nowMs()));
    });
    for (const index of draw.chance(0.5) ? [0, 1] : [draw.int(0, 1)]) {
      later(draw.int(0, 2_500), () => replicas.crash(index, draw.pick([draw.int(0, 4_000), 30_000])));
    }
    const thenMs = draw.int(3_000, 40_000);
    if (draw.chance(0.4)) later(thenMs, () => changeSource(stage, pair, draw));
    if (draw.chance(0.3) && isOfEverything) later(thenMs + draw.int(0, 9_000), () => releaseEverything(users, draw));
  },
  /** A namespace is held, and a workload or a source in it is not. */
  'lift-nearby': (stage: Stage, draw: Draw) => {
    const { users } = stage;
    const pair = drawPair(stage, draw);
    const isHeldBelow = draw.chance(0.8);
    const [nearer, further] = [draw.pick([pair.workload, pair.source]), namespaceOf(pair)];
    say(users, nearer, 'hold', isHeldBelow ? 'false' : 'true');
    aroundEdit(stage, pair, draw, () => say(users, further, 'hold', isHeldBelow ? 'true' : 'false'));
  },
  'set-windows': (stage: Stage, draw: Draw) => {
    const pair = drawPair(stage, draw);
    const bearer = drawBearer(pair, draw);
    aroundEdit(stage, pair, draw, () => {
      const windows = draw.chance(0.12) ? 'always' : drawWindows(draw, stage.nowMs());
      say(stage.users, bearer, 'windows', windows);
    });
  },
  'set-interval': (stage: Stage, draw: Draw) => {
    const { users, later } = stage;
    const pair = drawPair(stage, draw);
    say(users, drawBearer(pair, draw), 'interval', draw.chance(0.1) ? '0' : drawInterval(draw));
    changeSource(stage, pair, draw);
    // The restart for the first edit is written by then, or just on its way.
    for (let left = draw.int(1, 3), atMs = 0; left > 0; left--) {
      atMs += draw.int(900, draw.pick([3_000, 20_000]));
      later(atMs, () => changeSource(stage, pair, draw));
    }
  },
  'make-urgent': (stage: Stage, draw: Draw) => {
    const { users, later } = stage;
    const pair = drawPair(stage, draw);
    const other = drawBearer(pair, draw);
    if (draw.chance(0.7)) say(users, other, 'windows', drawWindows(draw, stage.nowMs()));
    if (draw.chance(0.7)) say(users, other, 'interval', drawInterval(draw));
    if (draw.chance(0.2)) say(users, other, 'hold', drawHold(draw, stage.nowMs()));
    if (draw.chance(0.1)) say(users, other, 'mode', 'next-rollout');
    aroundEdit(stage, pair, draw, () => say(users, pair.source, 'urgent', draw.chance(0.9) ? 'true' : 'false'));
    for (let left = draw.int(1, 2); left > 0; left--) {
      later(left * draw.int(2_500, 9_000), () => changeSource(stage, pair, draw));
    }
  },
  'leave-to-rollout': (stage: Stage, draw: Draw) => {
    const { users, later } = stage;
    const pair = drawPair(stage, draw);
    const bearer = drawBearer(pair, draw);
    aroundEdit(stage, pair, draw, () => say(users, bearer, 'mode', 'next-rollout'));
    if (draw.chance(0.4)) later(draw.int(2_000, 20_000), () => users.editImage(pair.workload));
    if (draw.chance(0.3))
      later(draw.int(2_000, 20_000), () => say(users, bearer, 'mode', draw.pick([undefined, 'now'])));
  },
  /** A value that nobody can read: a hold holds, and the others have no effect. */
  'garble-gate': (stage: Stage, draw: Draw) => {
    const pair = drawPair(stage, draw);
    const bearer = drawBearer(pair, draw);
    const name = draw.pick<keyof typeof gateKeys>(['hold', 'windows', 'interval', 'mode', 'urgent']);
    aroundEdit(stage, pair, draw, () => say(stage.users, bearer, name, draw.pick(['whenever', 'soon'])));
  },
} as const;

/**
 * Removes what would hold restarts for good. What ends by itself stays: holds with a time, intervals, and windows that
 * open again soon. Some changes are left to the next rollout, which nobody makes.
 */
export function liftGates(stage: Pick<Stage, 'users' | 'csi'>, draw: Draw): void {
  const { users } = stage;
  for (const place of [...workloads, ...sourcePlaces(stage), ...namespaces]) {
    const { [gateKeys.hold]: hold, [gateKeys.windows]: windows, [gateKeys.mode]: mode } = gatesOf(users.object(place));
    if (hold !== undefined && !hold.startsWith('until=')) say(users, place, 'hold', undefined);
    if (windows !== undefined && !openAgainAndAgain(windows)) say(users, place, 'windows', undefined);
    if (mode !== undefined && draw.chance(0.7)) say(users, place, 'mode', undefined);
  }
  if (users.object(everything)) releaseEverything(users, draw);
}

/** Sets one gate annotation; undefined removes it. */
function say(users: Users, place: Place, name: keyof typeof gateKeys, value: string | undefined): void {
  const verb = value === undefined ? `take ${gateKeys[name]} away from` : `put ${gateKeys[name]}: ${value} on`;
  users.edits.change(place, verb, (current) =>
    withValueAt(current, ['metadata', 'annotations', gateKeys[name]], value),
  );
}

function holdEverything({ users, nowMs }: Stage, draw: Draw): void {
  const text = draw.chance(0.5) ? undefined : drawHold(draw, nowMs());
  if (users.object(everything)) say(users, everything, 'hold', text);
  else {
    const annotations = text === undefined ? {} : { [gateKeys.hold]: text };
    const { namespace, name } = everything;
    users.edits.create(everything, configMap({ namespace, name, annotations }));
  }
}

function releaseEverything(users: Users, draw: Draw): void {
  if (draw.chance(0.6)) users.edits.delete(everything);
  else say(users, everything, 'hold', 'false');
}

/** Edits the source, often twice, and puts the gate up moments before, within the settle window, or later. */
function aroundEdit(stage: Stage, pair: Pair, draw: Draw, put: () => void): void {
  const { later } = stage;
  const putMs = draw.pick([0, draw.int(0, 900), draw.int(900, 6_000)]);
  const editMs = draw.pick([0, draw.int(0, 900), draw.int(900, 6_000)]);
  later(putMs, put);
  later(editMs, () => changeSource(stage, pair, draw));
  if (draw.chance(0.4)) later(editMs + draw.int(0, 9_000), () => changeSource(stage, pair, draw));
  if (draw.chance(0.15)) later(editMs + draw.int(900, 9_000), () => revertSource(stage, pair, draw));
}

function changeSource({ users, csi }: Stage, { source }: Pair, draw: Draw): void {
  if (source.kind === classKind) csi?.rotate(draw, `${source.namespace}/${source.name}`);
  else users.editSource(source, draw);
}

function revertSource({ users }: Stage, { source }: Pair, draw: Draw): void {
  if (source.kind !== classKind) users.revertSource(source, draw);
}

/** A source that restarts a workload, if there is any. */
function drawPair(stage: Stage, draw: Draw): Pair {
  const { users } = stage;
  const pairs = workloads.flatMap((workload) =>
    sourcePlaces(stage).flatMap((source) => (isUsedBy(users, workload, source) ? [{ workload, source }] : [])),
  );
  return draw.pickAny(pairs) ?? { workload: users.anyWorkload(draw), source: users.usedSource(draw) };
}

/** What bears the gate: the workload, the source or their namespace. */
function drawBearer(pair: Pair, draw: Draw): Place {
  return draw.pick([pair.workload, pair.source, namespaceOf(pair)]);
}

function namespaceOf({ workload }: Pair): Place {
  return { kind: 'Namespace', namespace: '', name: workload.namespace };
}

/** The sources, with the classes of a CSI driver if its API is served. */
function sourcePlaces({ csi }: Pick<Stage, 'csi'>): readonly Place[] {
  return csi?.isServed === true ? [...sources, ...classes.map((place) => ({ kind: classKind, ...place }))] : sources;
}
