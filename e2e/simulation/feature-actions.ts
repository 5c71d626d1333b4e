import type { Draw } from './draw';
import type { Intruder } from './intruder';
import { isHeld, isUsedBy, pauseByHand, resumeByHand, askForPause } from './pausing-users';
import type { Reconcilers } from './reconcilers';
import { select } from './selecting-users';
import { isRolled, sources, workloads, type Place } from './places';
import type { Users } from './users';

interface Stage {
  readonly users: Users;
  readonly replicas: Reconcilers;
  readonly intruder: Intruder;
  readonly later: (delayMs: number, run: () => void) => void;
}

const deployments = workloads.filter(({ kind }) => kind === 'Deployment') as [Place, ...Place[]];
const namespaces = ['default', 'shop'] as const;

function hold(users: Users, later: Stage['later'], draw: Draw): Place {
  const deployment = draw.pickAny(deployments.filter((place) => users.object(place))) ?? deployments[0];
  askForPause(users, deployment, draw.pick(['8s', '20s', '40s']));
  const source = draw.pickAny(sources.filter((place) => isUsedBy(users, deployment, place)));
  later(300, () => users.editSource(source ?? users.anySource(draw), draw));
  return deployment;
}

const rolled = workloads.filter(isRolled) as [Place, ...Place[]];

/** What people do with features that only some installs use. */
export const featureActions = {
  'ask-for-pause': ({ users }: Stage, draw: Draw) => {
    const period = draw.pick(['3s', '8s', '20s', '40s', undefined, 'soon']);
    askForPause(users, draw.pick(deployments), period);
  },
  /** A change of a source pauses the Deployment, and another process starts during the pause. */
  'hold-and-crash': ({ users, later, replicas }: Stage, draw: Draw) => {
    hold(users, later, draw);
    for (const index of [0, 1]) later(draw.int(2_500, 9_000), () => replicas.crash(index, draw.int(0, 5_000)));
  },
  'hold-and-deselect-namespace': ({ users, later }: Stage, draw: Draw) => {
    const { namespace: name } = hold(users, later, draw);
    later(draw.int(2_500, 9_000), () => select(users, { kind: 'Namespace', namespace: '', name }, false));
  },
  /** The processes crash afterwards, because a new leader looks for open journal entries. */
  'forge-entry': ({ intruder, later, replicas }: Stage, draw: Draw) => {
    intruder.forge(draw);
    for (const index of [0, 1]) later(draw.int(100, 5_000), () => replicas.crash(index, draw.int(0, 5_000)));
  },
  /** Resumes a Deployment that Reroll holds paused, if there is any. */
  'resume-by-hand': ({ users }: Stage, draw: Draw) => {
    const held = deployments.filter((deployment) => isHeld(users, deployment));
    resumeByHand(users, draw.pickAny(held) ?? draw.pick(deployments));
  },
  'pause-by-hand': ({ users, later }: Stage, draw: Draw) => {
    const deployment = draw.pick(deployments);
    pauseByHand(users, deployment);
    if (draw.chance(0.5)) later(draw.int(500, 20_000), () => resumeByHand(users, deployment));
  },
  /**
   * Edits a source and a workload that uses it, in either order and within moments. Instead of editing the workload's
   * image it may scale the workload, which looks like a release but is none.
   */
  release: ({ users, later }: Stage, draw: Draw) => {
    const usedBy = (workload: Place): readonly Place[] =>
      sources.filter((source) => users.object(source) && isUsedBy(users, workload, source));
    const workload = draw.pickAny(rolled.filter((place) => usedBy(place).length > 0)) ?? draw.pick(rolled);
    const source = draw.pickAny(usedBy(workload)) ?? users.anySource(draw);
    const edit = (): void => users.editSource(source, draw);
    const isSourceFirst = draw.chance(0.75);
    const thenMs = draw.int(30, 950);
    later(isSourceFirst ? 0 : thenMs, edit);
    const isScaled = draw.chance(0.4);
    later(isSourceFirst ? thenMs : 0, () => (isScaled ? users.scale(workload, draw) : users.editImage(workload)));
    if (draw.chance(0.25)) later(draw.int(0, draw.pick([950, 9_000])), edit);
    if (draw.chance(0.15)) later(draw.int(0, 9_000), () => users.rollBack(workload, draw));
  },
  'select-source': ({ users }: Stage, draw: Draw) => select(users, users.anySource(draw), true),
  'deselect-source': ({ users }: Stage, draw: Draw) => select(users, users.anySource(draw), false),
  /** Takes a source out of the selection, often edits it meanwhile, and puts it back. */
  'reselect-source': ({ users, later }: Stage, draw: Draw) => {
    const source = draw.chance(0.5) ? users.usedSource(draw) : users.anySource(draw);
    select(users, source, false);
    const backMs = draw.pick([draw.int(0, 900), draw.int(1_000, 15_000)]);
    if (draw.chance(0.7)) later(draw.int(0, backMs), () => users.editSource(source, draw));
    later(backMs, () => select(users, source, true));
  },
  'select-namespace': ({ users }: Stage, draw: Draw) => select(users, namespacePlace(draw), true),
  /** Takes a namespace out of the selection. A later change in it must restart nothing. */
  'deselect-namespace': ({ users, later }: Stage, draw: Draw) => {
    const place = namespacePlace(draw);
    const source = sourceIn(place, draw);
    select(users, place, false);
    later(draw.int(500, draw.pick([5_000, 40_000])), () => users.editSource(source, draw));
  },
  'reselect-namespace': ({ users, later }: Stage, draw: Draw) => {
    const place = namespacePlace(draw);
    const source = sourceIn(place, draw);
    select(users, place, false);
    const backMs = draw.pick([draw.int(0, 900), draw.int(1_000, 15_000)]);
    if (draw.chance(0.7)) later(draw.int(0, backMs), () => users.editSource(source, draw));
    later(backMs, () => select(users, place, true));
  },
};

function sourceIn({ name }: Place, draw: Draw): Place {
  return draw.pickAny(sources.filter(({ namespace }) => namespace === name)) ?? sources[0];
}

function namespacePlace(draw: Draw): Place {
  return { kind: 'Namespace', namespace: '', name: draw.pick(namespaces) };
}
