import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { daemonSet, deployment, fromSecret, secret } from '../apiserver/cluster';
import { inParallel } from '../bench/population';
import { auto, patient, TestNamespace } from '../cluster/test-namespace';
import { pollUntil } from '../control-plane/poll';
import { RerollCluster } from '../webhook/reroll-cluster';
import { generationsOf, writesSince, type Generations } from './generations';
import { LeaderPair } from './leader-pair';
import { workloadWrites } from './workload-writes';

const workloads = 1_000;
/** Those that have a pod: others are never restarted before them, so pods of theirs would only cost time. */
const withPods = 30;
/** So many has the control plane. */
const nodes = 2;
const healthyForMs = 3_000;
const broken = { 'control-plane.e2e/pod': 'broken-by-restart' };
/** Pods that never become ready keep their places, and this is about stages. */
const flags = [
  ...['--stage-deadline=40s', `--healthy-for=${healthyForMs / 1_000}s`, '--reload-strategy=annotations'],
  ...['--max-rolling=0', '--max-rolling-per-namespace=0'],
];

let cluster: RerollCluster;
let leaders: LeaderPair;
/** A restart here proves that everything due in other namespaces before it has been done. */
let others: TestNamespace;
let shop: TestNamespace;

beforeAll(async () => {
  cluster = await RerollCluster.start([]);
  leaders = await LeaderPair.start(cluster, flags);
  others = await TestNamespace.create(cluster, 'others');
  shop = await TestNamespace.create(cluster, 'shop-of-many');
  await shop.create(secret({ name: 'db', data: { password: 'red' } }));
  const envFrom = [fromSecret('db')];
  await inParallel(workloads, async (index) => {
    const replicas = index < withPods ? 1 : 0;
    await shop.create(deployment({ name: `app-${index}`, annotations: auto, podLabels: broken, envFrom, replicas }));
  });
  await recordedAndAvailable(shop, workloads);
  await others.laterChangeAnswered();
});

afterAll(async () => await cluster.stop());

async function recordedAndAvailable(place: TestNamespace, count: number): Promise<void> {
  await pollUntil(
    'all baselines to be recorded and all pods to be available',
    async () => {
      const all = await place.all('Deployment');
      const recorded = all.filter(({ metadata }) => metadata.annotations?.['reroll.dev/baseline'] !== undefined);
      const available = all.filter((object) => isAvailable(object));
      return recorded.length === count && available.length === count ? true : undefined;
    },
    { ...patient, intervalMs: 1_000 },
  );
}

function isAvailable(object: object): boolean {
  const { spec, status } = object as { spec: { replicas: number }; status?: { availableReplicas?: number } };
  return (status?.availableReplicas ?? 0) === spec.replicas;
}

/** The workloads that were restarted, as their templates tell. */
async function restarted(place = shop): Promise<readonly string[]> {
  const all = await place.all('Deployment');
  return all.flatMap(({ metadata: { name, annotations = {} } }) =>
    annotations['reroll.dev/last-restart'] === undefined ? [] : [name],
  );
}

it('of a thousand Deployments of one bad Secret, one becomes unhealthy, whoever leads, until somebody goes on', async () => {
  const before = (await workloadWrites(cluster, shop.name)).length;
  await shop.patch('Secret', 'db', { stringData: { password: 'wrong' } });
  const [canary = ''] = await pollUntil(
    'the first restart',
    async () => {
      const names = await restarted();
      return names.length > 0 ? names : undefined;
    },
    patient,
  );
  expect(canary).toBe('app-0');
  await leaders.kill();
  await leaders.takenOver();
  await shop.eventWith(`RestartsStopped db: restarts for Secret db are stopped: Deployment ${canary} is not healthy`);
  await shop.eventWith(`RestartsStopped ${canary}: restarts for Secret db are stopped`);
  await others.laterChangeAnswered();

  expect(await restarted()).toEqual([canary]);
  const writes = (await workloadWrites(cluster, shop.name)).slice(before);
  expect(new Set(writes.map(({ objectRef }) => objectRef?.name))).toEqual(new Set([canary]));
  const unhealthy = (await shop.all('Deployment')).filter((object) => !isAvailable(object) || isRolling(object));
  expect(unhealthy.map(({ metadata }) => metadata.name)).toEqual([canary]);

  const told = (await shop.stored('Deployment', canary)).metadata.annotations?.['reroll.dev/last-restart'] ?? '';
  const [, change = ''] = /"secret\/db":"([0-9a-f]{8})"/.exec(told) ?? [];
  await shop.patch('Secret', 'db', { metadata: { annotations: { 'reroll.dev/resumed': change } } });
  await pollUntil('all to be restarted', async () => ((await restarted()).length === workloads ? true : undefined), {
    ...patient,
    intervalMs: 1_000,
  });
});

it('a DaemonSet with surge whose new pods do not become ready stops the others, though an old pod runs on each node', async () => {
  const place = await TestNamespace.create(cluster, 'shop-with-surge');
  const envFrom = [fromSecret('db')];
  await place.create(secret({ name: 'db', annotations: { 'reroll.dev/stages': 'on' }, data: { password: 'red' } }));
  const annotations = { ...auto, 'reroll.dev/canary': 'true' };
  const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
  await place.create(daemonSet({ name: 'canary', annotations, podLabels: broken, envFrom, spec: { updateStrategy } }));
  for (const name of ['web-1', 'web-2']) await place.create(deployment({ name, annotations: auto, envFrom }));
  await place.adopted('DaemonSet', 'canary');
  await recordedAndAvailable(place, 2);
  await pollUntil(
    'a pod on each node',
    async () => ((await scheduledOf(place)).available === nodes ? true : undefined),
    patient,
  );
  await place.patch('Secret', 'db', { stringData: { password: 'wrong' } });
  await place.eventWith('RestartsStopped db: restarts for Secret db are stopped: DaemonSet canary is not healthy');
  expect([await restarted(place), await scheduledOf(place)]).toEqual([[], { updated: 0, available: nodes }]);
});

/** The pods of DaemonSet canary, as its controller counts them. */
async function scheduledOf(place: TestNamespace): Promise<{ readonly updated: number; readonly available: number }> {
  const { status = {} } = (await place.stored('DaemonSet', 'canary')) as {
    status?: { updatedNumberScheduled?: number; numberAvailable?: number };
  };
  return { updated: status.updatedNumberScheduled ?? 0, available: status.numberAvailable ?? 0 };
}

/** An old pod stays until the new one is ready, so the Deployment is available meanwhile. */
function isRolling(object: object): boolean {
  const { status } = object as {
    status?: { replicas?: number; updatedReplicas?: number; unavailableReplicas?: number };
  };
  return (status?.unavailableReplicas ?? 0) > 0 || (status?.replicas ?? 0) !== (status?.updatedReplicas ?? 0);
}

describe('a good Secret of forty Deployments, whose leader is killed in each stage', () => {
  const users = 40;
  /** The first one, and a tenth of all. */
  const proving = 5;
  let place: TestNamespace;
  let before: Generations;
  let writesBefore: number;

  beforeAll(async () => {
    place = await TestNamespace.create(cluster, 'shop-of-forty');
    // So few at once that some are left when the leader is killed in the last stage.
    const annotations = { 'reroll.dev/max-rolling': '10' };
    await place.create(secret({ name: 'db', annotations, data: { password: 'red' } }));
    const pod = { annotations: auto, envFrom: [fromSecret('db')], replicas: 1, spec: { minReadySeconds: 2 } };
    for (let index = 0; index < users; index++) await place.create(deployment({ name: `app-${index}`, ...pod }));
    await recordedAndAvailable(place, users);
    await others.laterChangeAnswered();
    before = await generationsOf(place);
    writesBefore = (await workloadWrites(cluster, place.name)).length;
    await place.patch('Secret', 'db', { stringData: { password: 'blue' } });
  });

  /** When the restart of each was first sent, in order. */
  async function restartTimes(): Promise<readonly number[]> {
    const times = new Map<string, number>();
    for (const { objectRef, requestReceivedTimestamp } of (await workloadWrites(cluster, place.name)).slice(
      writesBefore,
    )) {
      const name = objectRef?.name ?? '';
      if (!times.has(name)) times.set(name, Date.parse(requestReceivedTimestamp));
    }
    return [...times.values()].toSorted((left, right) => left - right);
  }

  it.each([
    ['when the first one has restarted', 1, 1],
    ['while a tenth restarts', 2, proving],
    ['while the rest restarts', proving + 1, users - 1],
  ])('%s: the next one goes on from there', async (_when, atLeast, atMost) => {
    const isReached = async (): Promise<true | undefined> =>
      (await restarted(place)).length >= atLeast ? true : undefined;
    await pollUntil(`${atLeast} to be restarted`, isReached, patient);
    await leaders.kill();
    const names = await restarted(place);
    expect(names.length).toBeLessThanOrEqual(atMost);
    await leaders.takenOver();
  });

  it('restarts each once, and each stage when the one before has been healthy for its time', async () => {
    const isDone = async (): Promise<true | undefined> =>
      (await restarted(place)).length === users ? true : undefined;
    await pollUntil('all to be restarted', isDone, patient);
    await others.laterChangeAnswered();
    const written = await writesSince(place, before);
    expect([written.size, new Set(written.values())]).toEqual([users, new Set([1])]);
    const times = await restartTimes();
    const [first = 0, second = 0] = times;
    const [lastOfTenth = 0, firstOfRest = 0] = times.slice(proving - 1);
    expect(second - first).toBeGreaterThan(healthyForMs);
    expect(firstOfRest - lastOfTenth).toBeGreaterThan(healthyForMs);
  });
});
