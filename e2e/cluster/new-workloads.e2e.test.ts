import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { configMap, cronJob, fromConfigMap, job, statefulSet } from '../apiserver/cluster';
import { pollUntil } from '../control-plane/poll';
import type { RerollProcess } from '../reroll-process';
import { reconcilerUser, RerollCluster } from '../webhook/reroll-cluster';
import { auto, baselineKey, patient, TestNamespace } from './test-namespace';

let cluster: RerollCluster;
/** A restart here proves that everything due in other namespaces before it has been done. */
let others: TestNamespace;
let reroll: RerollProcess;

beforeAll(async () => {
  cluster = await RerollCluster.start([]);
  others = await TestNamespace.create(cluster, 'others');
});

afterAll(async () => await cluster.stop());

const make = { StatefulSet: statefulSet, CronJob: cronJob, Job: job };
type Kind = keyof typeof make;

/** The value of `createdJobs` when the workload of a namespace was created. */
const createdBefore = new Map<TestNamespace, number>();

/** The number of Jobs that Reroll created in the namespace, including in earlier tests. */
async function createdJobs({ name }: TestNamespace): Promise<number> {
  const entries = await cluster.plane.auditEntries({ user: reconcilerUser });
  return entries.filter(
    ({ verb, requestURI, objectRef, responseStatus }) =>
      [verb, objectRef?.resource, objectRef?.namespace, responseStatus?.code].join() === `create,jobs,${name},201` &&
      !requestURI.includes('dryRun=All'),
  ).length;
}

/** Rollouts of the StatefulSet, runs of this CronJob (not of a former one with its name), or recreations of the Job. */
async function restarts(within: TestNamespace, kind: Kind): Promise<number> {
  if (kind === 'StatefulSet') return await within.restarts('web');
  if (kind === 'Job') return (await createdJobs(within)) - (createdBefore.get(within) ?? 0);
  const { uid } = (await within.stored('CronJob', 'web')).metadata;
  const jobs = await within.all('Job');
  return jobs.filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid)).length;
}

async function paintedAndRestarted(within: TestNamespace, kind: Kind, color: string): Promise<void> {
  await within.paint('app', color);
  await pollUntil(
    `one restart of ${kind} web in ${within.name}`,
    async () => ((await restarts(within, kind)) === 1 ? true : undefined),
    patient,
  );
}

describe.each(['StatefulSet', 'CronJob', 'Job'] as const)('a %s that bears the baseline of another', (kind) => {
  let original: TestNamespace;
  let copy: TestNamespace;
  let annotations: Readonly<Record<string, string>>;

  const create = async (within: TestNamespace, bears: Readonly<Record<string, string>>): Promise<void> => {
    createdBefore.set(within, await createdJobs(within));
    await within.create(make[kind]({ name: 'web', annotations: bears, envFrom: [fromConfigMap('app')] }));
  };

  beforeAll(async () => {
    const names = ['original', 'copy'].map((name) => `${name}-${kind.toLowerCase()}`);
    [original, copy] = (await Promise.all(names.map(async (name) => await TestNamespace.create(cluster, name)))) as [
      TestNamespace,
      TestNamespace,
    ];
    for (const within of [original, copy]) await within.create(configMap({ name: 'app', data: { color: 'red' } }));
    await create(original, auto);
    reroll = await cluster.reconciler();
    await original.adopted(kind, 'web');
    annotations = (await original.stored(kind, 'web')).metadata.annotations ?? {};
  });

  afterAll(async () => await reroll.end());

  it.each([
    ['as a copy in another namespace', 'copy'],
    ['as its successor, which knows what came after that baseline', 'original'],
  ])('%s: is restarted for what changes from then on, and once', async (_which, where) => {
    expect(annotations).toHaveProperty([baselineKey]);
    const within = where === 'copy' ? copy : original;
    if (where === 'original') {
      await paintedAndRestarted(original, kind, 'blue');
      await original.delete(kind, 'web');
    }
    await create(within, annotations);
    await others.laterChangeAnswered();
    expect(await restarts(within, kind)).toBe(0);
    await paintedAndRestarted(within, kind, 'green');
    await others.laterChangeAnswered();
    expect(await restarts(within, kind)).toBe(1);
  });
});

describe('with --reload-on-create, a workload whose source is created within the same second', () => {
  let born: TestNamespace;
  const pairs = ['0', '1', '2', '3', '4'];

  const create = {
    source: async (name: string) => await born.create(configMap({ name, data: { color: 'red' } })),
    workload: async (name: string) =>
      await born.create(statefulSet({ name, annotations: auto, envFrom: [fromConfigMap(name)] })),
  };

  beforeAll(async () => {
    born = await TestNamespace.create(cluster, 'born');
    reroll = await cluster.reconciler(0, ['--reload-on-create']);
    await others.laterChangeAnswered();
  });

  afterAll(async () => await reroll.end());

  it.each([
    ['after it is restarted, once', ['workload', 'source'], 1],
    ['before it is not', ['source', 'workload'], 0],
  ] as const)('%s', async (_what, [first, second], times) => {
    const names = pairs.map((pair) => `${second}-last-${pair}`);
    let inOneSecond = 0;
    for (const name of names) {
      const [{ metadata: one }, { metadata: other }] = [await create[first](name), await create[second](name)];
      if (one.creationTimestamp === other.creationTimestamp) inOneSecond++;
    }
    expect(inOneSecond).toBeGreaterThan(0);
    for (const name of names) await born.restarted(name, times);
    await others.laterChangeAnswered();
    for (const name of names) expect(await born.restarts(name)).toBe(times);
  });
});
