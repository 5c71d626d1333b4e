import { crowdActions } from './crowd';
import { csiActions } from './csi-actions';
import type { CsiDriver } from './csi-driver';
import type { Draw } from './draw';
import type { Etcd } from './etcd';
import { faultActions } from './fault-actions';
import type { Gatekeeper } from './gatekeeper';
import { featureActions } from './feature-actions';
import { gateActions } from './gate-actions';
import { hybridActions, type HybridStage } from './hybrid-actions';
import type { Intruder } from './intruder';
import { keyActions } from './key-actions';
import { leavingOutActions } from './leaving-out';
import { paceActions } from './pace-actions';
import { rollbackActions } from './rollback-actions';
import { stageActions } from './stage-actions';
import { policyActions } from './policy-actions';
import type { Reconcilers } from './reconcilers';
import { upgradeActions } from './upgrade-actions';
import type { Users } from './users';

/** What an action can act on. */
export interface Stage {
  readonly users: Users;
  readonly replicas: Reconcilers;
  readonly intruder: Intruder;
  readonly etcd: Etcd;
  readonly gatekeeper: Gatekeeper;
  /** Compacts the server's history. */
  readonly compact: () => void;
  readonly later: (delayMs: number, run: () => void) => void;
  /** The time of the server. */
  readonly nowMs: () => number;
  /** Undefined if no webhook is installed. */
  readonly hybrid: HybridStage | undefined;
  /** Undefined if no CSI driver is installed. */
  readonly csi: CsiDriver | undefined;
}

type Action = (stage: Stage, draw: Draw) => void;

/** Everything that can happen in a world: what people do, and faults. */
const actions = {
  'edit-source': ({ users }, draw) => users.editSource(users.anySource(draw), draw),
  burst: ({ users, later }, draw) => {
    const source = users.anySource(draw);
    for (let left = draw.int(2, 5), atMs = 0; left > 0; left--, atMs += draw.int(10, 700)) {
      const edited = draw.chance(0.8) ? source : users.anySource(draw);
      later(atMs, () => users.editSource(edited, draw));
    }
  },
  'burst-and-revert': ({ users, later }, draw) => {
    const source = users.anySource(draw);
    const before = users.contentOf(source);
    for (let left = draw.int(1, 3), atMs = 0; left > 0; left--, atMs += draw.int(10, 200)) {
      later(atMs, () => users.editSource(source, draw));
    }
    later(draw.int(610, 900), () => users.writeSource(source, before));
  },
  'revert-source': ({ users }, draw) => users.revertSource(users.anySource(draw), draw),
  'delete-source': ({ users }, draw) => users.deleteSource(users.anySource(draw)),
  'create-source': ({ users }, draw) => users.createSource(users.anySource(draw), undefined, draw),
  'recreate-source': ({ users, later }, draw) => {
    const source = users.anySource(draw);
    const content = draw.chance(0.4) ? users.contentOf(source) : undefined;
    users.deleteSource(source);
    later(draw.pick([0, draw.int(1, 900), draw.int(1_000, 20_000)]), () => users.createSource(source, content, draw));
  },
  'label-source': ({ users }, draw) => users.labelSource(users.anySource(draw), draw),
  'edit-references': ({ users }, draw) => users.editReferences(users.anyWorkload(draw), draw),
  'edit-image': ({ users }, draw) => users.editImage(users.anyWorkload(draw)),
  'replace-workload': ({ users }, draw) => users.replaceWorkload(users.anyWorkload(draw)),
  'roll-back': ({ users }, draw) => users.rollBack(users.anyWorkload(draw), draw),
  'strip-baseline': ({ users }, draw) => users.annotate(users.anyWorkload(draw), { 'reroll.dev/baseline': undefined }),
  'corrupt-baseline': ({ users }, draw) => {
    const text = draw.pick(['{', '[]', '{"v":2}', '{"v":1,"n":-1}', '']);
    users.annotate(users.anyWorkload(draw), { 'reroll.dev/baseline': text });
  },
  'delete-workload': ({ users }, draw) => users.deleteWorkload(users.anyWorkload(draw)),
  'create-workload': ({ users }, draw) => users.createWorkload(users.anyWorkload(draw), draw),
  /** Creates a workload moments before a source changes. */
  'create-workload-and-edit': ({ users, later }, draw) => {
    const workload = users.anyWorkload(draw);
    users.deleteWorkload(workload);
    users.createWorkload(workload, draw);
    const source = users.anySource(draw);
    later(draw.int(0, draw.pick([50, 1_500, 6_000])), () => users.editSource(source, draw));
  },
  scale: ({ users }, draw) => users.scale(users.anyWorkload(draw), draw),
  'opt-in': ({ users }, draw) => users.annotate(users.anyWorkload(draw), { 'reloader.stakater.com/auto': 'true' }),
  'opt-out': ({ users }, draw) =>
    users.annotate(users.anyWorkload(draw), { 'reloader.stakater.com/auto': draw.chance(0.5) ? 'false' : undefined }),
  'name-sources': ({ users }, draw) => users.nameSources(users.anyWorkload(draw), draw),
  'delete-namespace': ({ users, later }, draw) => {
    users.deleteNamespace('shop');
    later(draw.int(500, 20_000), () => users.createNamespace('shop', draw));
  },
  crash: ({ replicas }, draw) => replicas.crash(draw.int(0, 1), draw.int(0, 5_000)),
  'crash-long': ({ replicas }, draw) => replicas.crash(draw.int(0, 1), draw.int(20_000, 120_000)),
  freeze: ({ replicas }, draw) => replicas.freeze(draw.int(0, 1), draw.pick([500, 6_000, 30_000, 90_000])),
  stop: ({ replicas }, draw) => replicas.stop(draw.int(0, 1), draw.int(100, 20_000)),
  partition: ({ replicas }, draw) => replicas.partition(draw.int(0, 1), draw.pick([800, 8_000, 40_000])),
  compact: ({ compact }) => compact(),
  'skew-clock': ({ replicas }, draw) => replicas.setClockOff(draw.int(0, 1), draw.int(-900, 900)),
  /** Like a node whose clock is not synchronised. */
  'skew-clock-by-minutes': ({ users, replicas, later }, draw) => {
    const minutesMs = draw.int(1, 10) * 60_000;
    replicas.setClockOff(draw.int(0, 1), draw.chance(0.5) ? minutesMs : -minutesMs);
    later(draw.int(500, 8_000), () => users.editSource(users.usedSource(draw), draw));
  },
  ...faultActions,
  ...featureActions,
  ...policyActions,
  ...leavingOutActions,
  ...hybridActions,
  ...csiActions,
  ...upgradeActions,
  ...crowdActions,
  ...gateActions,
  ...paceActions,
  ...stageActions,
  ...rollbackActions,
  ...keyActions,
} satisfies Record<string, Action>;

export type ActionKind = keyof typeof actions;

export function act(kind: ActionKind, stage: Stage, draw: Draw): void {
  const action: Action = actions[kind];
  action(stage, draw);
}
