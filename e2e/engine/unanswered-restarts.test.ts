import { describe, expect, it } from '@jest/globals';
import type { WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import { deploymentConfig, deploymentConfigKind, rollout, rolloutKind } from '../apiserver/add-ons';
import type { AdmissionHook } from '../apiserver/admission';
import { Controllers } from '../apiserver/controllers/controllers';
import { configMap, cronJob, deployment, fromConfigMap } from '../apiserver/cluster';
import type { ObjectInput } from '../apiserver/objects';
import { fieldAt, objectOf } from '../../shared/domain/kubernetes/json-value';
import { engineUser, Harness } from './harness';
import { strippingHook } from './stripping.fixture';

const app = configMap({ name: 'app', data: { color: 'red' } });
const uses = {
  name: 'web',
  annotations: { 'reloader.stakater.com/auto': 'true' },
  envFrom: [fromConfigMap('app')],
};
const workloads = { Deployment: deployment, Rollout: rollout, DeploymentConfig: deploymentConfig };

/** The next PATCH that Reroll sends there is stored and gets no answer. */
function loseAnswer(harness: Harness, path: string): void {
  harness.faults.add({
    match: ({ user, method, pathname }) => user === engineUser && method === 'PATCH' && pathname.endsWith(path),
    fault: { kind: 'reset', when: 'after' },
    times: 1,
  });
}

/** A cluster with one workload, whose watch can be slowed down. */
class Cluster {
  readonly harness: Harness;
  readonly path: string;
  /** A webhook removes the marker from what Reroll writes. */
  strips = false;
  lagMs = 0;

  constructor(readonly kind: WorkloadKindName & keyof typeof workloads) {
    this.path = `/${kind.toLowerCase()}s`;
    const hook = strippingHook(kind, () => (this.strips ? 'variables' : 'nothing'));
    this.harness = new Harness({ customKinds: [rolloutKind, deploymentConfigKind], admission: [hook] });
    this.harness.seed(app, workloads[kind](uses));
    this.harness.faults.add({
      match: ({ isWatch, pathname }) => isWatch && pathname.endsWith(this.path),
      fault: { kind: 'lag', lagMs: () => this.lagMs },
    });
  }

  /** Starts Reroll. After the baseline that it records then, its next write is stored and gets no answer. */
  async start(): Promise<void> {
    await this.harness.start();
    loseAnswer(this.harness, `${this.path}/web`);
  }
}

it.each([
  ['Deployment', 'nothing else'],
  ['Rollout', 'nothing else'],
  ['DeploymentConfig', 'nothing else'],
  ['DeploymentConfig', 'a label that the watch has not shown yet'],
] as const)('a %s whose restart lost its answer and its marker still owes it, after %s', async (kind, earlier) => {
  const cluster = new Cluster(kind);
  const { harness } = cluster;
  cluster.strips = true;
  await cluster.start();
  cluster.lagMs = 320;
  await harness.edit('ConfigMap', 'app', { color: 'blue' });
  await harness.clock.advance(700);
  if (earlier !== 'nothing else') await harness.patch(kind, 'web', { metadata: { labels: { note: 'x' } } });
  await harness.clock.advance(5_300);
  expect(harness.restarts(kind, 'web')).toBe(0);
  cluster.strips = false;
  await harness.clock.advance(600_000);
  expect(harness.restarts(kind, 'web')).toBe(1);
});

/** A tool writes the Deployment as it knows it: it keeps annotations and removes the marker. */
async function replace(harness: Harness): Promise<void> {
  const { annotations } = (await harness.get('Deployment', 'web')).metadata;
  await harness.admin.request({
    method: 'PUT',
    path: '/apis/apps/v1/namespaces/default/deployments/web?fieldManager=operator',
    body: deployment({ ...uses, annotations: { ...annotations } }),
  });
}

it('a restart that lost its answer is not made again if somebody replaces the workload before Reroll reads it', async () => {
  const cluster = new Cluster('Deployment');
  const { harness } = cluster;
  await cluster.start();
  const reads: string[] = [];
  harness.faults.add({
    match: ({ user, method, pathname }) =>
      user === engineUser && method === 'GET' && pathname.endsWith(`${cluster.path}/web`) && reads.push(pathname) > 0,
    fault: { kind: 'delay', delayMs: 500 },
    times: 1,
  });
  await harness.edit('ConfigMap', 'app', { color: 'blue' });
  for (let turn = 0; turn < 100 && reads.length === 0; turn++) await harness.clock.advance(50);
  expect([reads.length, harness.restarts('Deployment', 'web')]).toEqual([1, 1]);
  // The watch is behind.
  cluster.lagMs = 2_000;
  await replace(harness);
  await harness.clock.advance(600_000);
  const failures = harness.objects('Event').filter(({ reason }) => reason === 'ReloadFail');
  expect([failures, harness.restarts('Deployment', 'web')]).toEqual([[], 1]);
});

const told = (harness: Harness): unknown[] => harness.objects('Event').map(({ reason }) => reason);

it('a restart that lost its answer is reported, though somebody scales the workload before the watch shows it', async () => {
  const cluster = new Cluster('Deployment');
  const { harness } = cluster;
  await cluster.start();
  cluster.lagMs = 1_000;
  await harness.edit('ConfigMap', 'app', { color: 'blue' });
  for (let turn = 0; turn < 100 && harness.restarts('Deployment', 'web') === 0; turn++) await harness.clock.advance(20);
  await harness.patch('Deployment', 'web', { spec: { replicas: 5 } });
  await harness.clock.advance(60_000);
  expect([harness.restarts('Deployment', 'web'), told(harness)]).toEqual([1, ['Reloaded']]);
});

describe('a restart that lost its answer, of a Deployment that its controller rolls out', () => {
  interface Overtaken {
    readonly strips: boolean;
    /** How long the controller takes to see a write. */
    readonly reactionMs: number;
    /** Which of the reads after the lost answer takes five seconds. */
    readonly slowRead?: number;
    /** What somebody does while that read is under way. */
    readonly next: (harness: Harness) => Promise<unknown>;
  }

  async function overtaken({ strips, reactionMs, slowRead = 1, next }: Overtaken): Promise<readonly unknown[]> {
    const cluster = new Cluster('Deployment');
    const { harness } = cluster;
    const controllers = new Controllers(harness.server, { reactionMs });
    controllers.start();
    await harness.clock.advance(60_000);
    await cluster.start();
    await harness.clock.advance(60_000);
    cluster.strips = strips;
    cluster.lagMs = 10_000;
    let reads = 0;
    harness.faults.add({
      match: ({ user, method, pathname }) =>
        user === engineUser && method === 'GET' && pathname.endsWith(`${cluster.path}/web`) && ++reads === slowRead,
      fault: { kind: 'delay', delayMs: 5_000 },
      times: 1,
    });
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    for (let turn = 0; turn < 200 && reads < slowRead; turn++) await harness.clock.advance(20);
    expect(reads).toBe(slowRead);
    await next(harness);
    cluster.strips = false;
    await harness.clock.advance(600_000);
    controllers.stop();
    const ofRestarts = told(harness).filter((reason) => /^Reload/.test(String(reason)));
    return [harness.restarts('Deployment', 'web'), ofRestarts.sort()];
  }

  const scale = async (harness: Harness): Promise<unknown> =>
    await harness.patch('Deployment', 'web', { spec: { replicas: 5 } });

  it.each([
    ['at once', 20, 1],
    ['long after the watch has shown it', 30_000, 1],
    ['long after Reroll has read the write, and while it reads once more', 30_000, 2],
  ])(
    'is still owed if it lost its marker too and somebody scales it, which the controller sees %s',
    async (_when, reactionMs, slowRead) => {
      expect(await overtaken({ strips: true, reactionMs, slowRead, next: scale })).toEqual([
        1,
        ['ReloadFail', 'Reloaded'],
      ]);
    },
  );

  it('is not made again if a tool removes the marker after the rollout', async () => {
    const next = async (harness: Harness): Promise<void> => {
      await harness.clock.advance(3_000);
      await replace(harness);
    };
    expect(await overtaken({ strips: false, reactionMs: 20, next })).toEqual([1, ['Reloaded']]);
  });
});

it.each([
  ['is run', {}],
  ['is left to its next run', { 'reroll.dev/job-policy': 'next-run' }],
])('a CronJob that %s is reported, though the write of its record lost its answer', async (_what, annotations) => {
  const harness = new Harness();
  harness.seed(app, cronJob({ ...uses, annotations: { ...uses.annotations, ...annotations } }));
  await harness.start();
  loseAnswer(harness, '/cronjobs/web');
  await harness.edit('ConfigMap', 'app', { color: 'blue' });
  await harness.clock.advance(60_000);
  expect(told(harness)).toEqual(['Reloaded']);
});

it.each<[string, ObjectInput, string]>([
  ['a Deployment', deployment(uses), 'restarted'],
  [
    'a Rollout with spec.restartAt',
    rollout({ ...uses, annotations: { ...uses.annotations, 'reloader.stakater.com/rollout-strategy': 'restart' } }),
    'restarted by spec.restartAt',
  ],
  [
    'a DeploymentConfig without a trigger',
    { ...deploymentConfig(uses), spec: { ...objectOf(deploymentConfig(uses).spec), triggers: [] } },
    'changed, to be rolled out by hand: it has no ConfigChange trigger',
  ],
])('what became of %s is told in the same words with and without an answer', async (_what, workload, did) => {
  for (const isLost of [false, true]) {
    const harness = new Harness({ customKinds: [rolloutKind, deploymentConfigKind] });
    harness.seed(app, workload);
    await harness.start();
    if (isLost) loseAnswer(harness, '/web');
    await harness.edit('ConfigMap', 'app', { color: 'blue' });
    await harness.clock.advance(60_000);
    const messages = harness.objects('Event').map(({ message }) => String(message));
    expect(messages).toEqual([expect.stringContaining(`${workload.kind} ${did} (`)]);
  }
});

it('an urgent restart that lost its answer is told as one', async () => {
  const harness = new Harness();
  const windowed = { ...uses.annotations, 'reroll.dev/windows': '02:00-02:01' };
  harness.seed(
    configMap({ name: 'app', data: { color: 'red' }, annotations: { 'reroll.dev/urgent': 'true' } }),
    deployment({ ...uses, annotations: windowed }),
  );
  await harness.start();
  loseAnswer(harness, '/web');
  await harness.edit('ConfigMap', 'app', { color: 'blue' });
  await harness.clock.advance(60_000);
  const messages = harness.objects('Event').map(({ message }) => String(message));
  expect(messages).toEqual([expect.stringContaining('restarted at once, because the change is urgent (')]);
});

it('a Rollout that is restarted by spec.restartAt still owes a restart that lost its answer and that time', async () => {
  let strips = true;
  const review: AdmissionHook['review'] = ({ operation, kind, object, user }) => {
    const isOurs = operation === 'UPDATE' && kind.kind === 'Rollout' && user === engineUser;
    const isStripped = strips && isOurs && fieldAt(object, ['spec', 'restartAt']) !== undefined;
    return { allowed: true, ...(isStripped && { patch: [{ op: 'remove', path: '/spec/restartAt' }] }) };
  };
  const admission = [{ name: 'no-restart-at.example.com', review }];
  const harness = new Harness({ customKinds: [rolloutKind], admission });
  const annotations = { ...uses.annotations, 'reloader.stakater.com/rollout-strategy': 'restart' };
  harness.seed(app, rollout({ ...uses, annotations }));
  await harness.start();
  loseAnswer(harness, '/rollouts/web');
  await harness.edit('ConfigMap', 'app', { color: 'blue' });
  await harness.clock.advance(60_000);
  strips = false;
  await harness.clock.advance(600_000);
  expect(fieldAt(await harness.get('Rollout', 'web'), ['spec', 'restartAt'])).toBeDefined();
});
