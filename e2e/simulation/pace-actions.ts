import { withValueAt } from '../apiserver/json';
import type { Draw } from './draw';
import { paceKeys } from './pace-annotations';
import { isUsedBy } from './pausing-users';
import { isRolled, sources, workloads, type Place } from './places';
import type { Reconcilers } from './reconcilers';
import type { Users } from './users';

export interface Stage {
  readonly users: Users;
  readonly replicas: Reconcilers;
  readonly later: (delayMs: number, run: () => void) => void;
}

const rolled = workloads.filter(isRolled);

/** Which restart comes when. Each action changes a source that several workloads use, soon after what it sets. */
export const paceActions = {
  'change-for-many': (stage: Stage, draw: Draw) => {
    const shared = drawShared(stage.users, draw);
    for (let left = draw.int(1, 4), atMs = 0; left > 0; left--, atMs += draw.int(500, 12_000)) {
      stage.later(atMs, () => stage.users.editSource(draw.chance(0.7) ? shared : stage.users.usedSource(draw), draw));
    }
  },
  'limit-rollouts': (stage: Stage, draw: Draw) => {
    const source = drawShared(stage.users, draw);
    const namespace: Place = { kind: 'Namespace', namespace: '', name: source.namespace };
    const limit = draw.pick(['1', '1', '1', '1 pods', '2', '3 pods', 'off', 'many']);
    for (const place of draw.some([source, namespace], 0.6)) say(stage.users, place, paceKeys.maxRolling, limit);
    changeSoon(stage, source, draw);
  },
  'set-waves': (stage: Stage, draw: Draw) => {
    for (const workload of draw.some(rolled, 0.6)) {
      say(stage.users, workload, paceKeys.wave, draw.pick(['-1', '0', '5', '10', '10', 'last']));
    }
    changeSoon(stage, drawShared(stage.users, draw), draw);
  },
  'set-after': (stage: Stage, draw: Draw) => {
    for (const workload of draw.some(rolled, 0.5)) {
      const named = draw.some(rolled, 0.4).map(({ kind, name }) => `${kind.toLowerCase()}/${name}`);
      say(stage.users, workload, paceKeys.after, named.length === 0 ? undefined : named.join(', '));
    }
    changeSoon(stage, drawShared(stage.users, draw), draw);
  },
  'roll-and-take-over': (stage: Stage, draw: Draw) => {
    stage.users.editSource(drawShared(stage.users, draw), draw);
    const index = draw.int(0, 1);
    stage.later(draw.int(1_000, 5_000), () => stage.replicas.crash(index, draw.pick([draw.int(0, 4_000), 30_000])));
  },
} as const;

/** Sets an annotation; undefined removes it. */
export function say(users: Users, place: Place, key: string, value: string | undefined): void {
  const verb = value === undefined ? `take ${key} away from` : `put ${key}: ${value} on`;
  users.edits.change(place, verb, (current) => withValueAt(current, ['metadata', 'annotations', key], value));
}

function changeSoon({ users, later }: Stage, source: Place, draw: Draw): void {
  for (let left = draw.int(1, 3), atMs = 0; left > 0; left--) {
    atMs += draw.int(500, draw.pick([4_000, 15_000]));
    later(atMs, () => users.editSource(source, draw));
  }
}

/** One of the sources that the most workloads use. */
export function drawShared(users: Users, draw: Draw): Place {
  const counted = sources.map((source) => ({
    source,
    users: workloads.filter((workload) => isUsedBy(users, workload, source)).length,
  }));
  const most = Math.max(...counted.map((each) => each.users));
  return draw.pickAny(counted.filter((each) => each.users === most))?.source ?? users.anySource(draw);
}
