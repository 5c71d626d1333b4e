import { beforeEach, describe, expect, it } from '@jest/globals';
import { workloadKind, type WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import { createObject } from '../../shared/kube/client/objects';
import { configMap, cronJob, deployment, fromConfigMap, job, seedNamespace } from '../apiserver/cluster';
import { Harness, engineUser } from './harness';

const auto = { 'reloader.stakater.com/auto': 'true' };
const baselineKey = 'reroll.dev/baseline';
const make = { Deployment: deployment, CronJob: cronJob, Job: job };
type Kind = keyof typeof make;

let harness: Harness;

beforeEach(async () => {
  harness = new Harness();
  seedNamespace(harness.server, 'copy');
  for (const namespace of ['default', 'copy']) {
    harness.seed(configMap({ name: 'app', namespace, data: { color: 'red' } }));
  }
  harness.seed(...(['Deployment', 'CronJob', 'Job'] as const).map((kind) => made(kind, 'default', auto)));
  await harness.start();
});

function made(kind: Kind, namespace: string, annotations: Readonly<Record<string, string>>) {
  return make[kind]({ name: 'web', namespace, annotations, envFrom: [fromConfigMap('app')] });
}

async function annotationsOf(kind: WorkloadKindName): Promise<Readonly<Record<string, string>>> {
  return (await harness.get(kind, 'web')).metadata.annotations ?? {};
}

async function create(kind: Kind, namespace: string, annotations: Readonly<Record<string, string>>): Promise<void> {
  await createObject(harness.admin, workloadKind(kind).resource, namespace, made(kind, namespace, annotations));
  await harness.clock.advance(60_000);
}

async function edit(color: string, namespace: string): Promise<void> {
  await harness.edit('ConfigMap', 'app', { color }, namespace);
  await harness.clock.advance(60_000);
}

/** Counts rollouts of the Deployment, runs of the CronJob, or re-creations of the Job. */
function restarts(kind: Kind, namespace: string): number {
  if (kind === 'Deployment') return harness.restarts(kind, 'web', namespace);
  const births = harness.server.history().filter(({ type, user }) => type === 'ADDED' && user === engineUser);
  const names = births
    .filter((birth) => birth.kind.kind === 'Job' && birth.object.metadata.namespace === namespace)
    .map(({ object }) => object.metadata.name);
  return names.filter((name) => (name === 'web') === (kind === 'Job')).length;
}

describe.each(['Deployment', 'CronJob', 'Job'] as const)('the baseline of a %s', (kind) => {
  it('is ignored on a copy in another namespace', async () => {
    await create(kind, 'copy', await annotationsOf(kind));
    expect(restarts(kind, 'copy')).toBe(0);
    await edit('blue', 'copy');
    expect(restarts(kind, 'copy')).toBe(1);
  });

  it('is ignored on a later object of the same name', async () => {
    const old = await annotationsOf(kind);
    await edit('blue', 'default');
    await harness.delete(kind, 'web');
    await harness.clock.advance(60_000);
    const before = restarts(kind, 'default');
    await create(kind, 'default', old);
    expect(restarts(kind, 'default') - before).toBe(0);
    await edit('green', 'default');
    expect(restarts(kind, 'default') - before).toBe(1);
  });

  it('counts without a uid if it is from an older version, and gets the uid with the next restart', async () => {
    const { [baselineKey]: text = '', ...annotations } = await annotationsOf(kind);
    const { uid, ...unbound } = JSON.parse(text) as { readonly uid: string };
    expect(uid).toBe((await harness.get(kind, 'web')).metadata.uid);
    await harness.patch(kind, 'web', {
      metadata: { annotations: { ...annotations, [baselineKey]: JSON.stringify(unbound) } },
    });
    harness.requestsSinceLast();
    await harness.clock.advance(60_000);
    expect(harness.requestsSinceLast()).toEqual([]);
    await edit('blue', 'default');
    expect(restarts(kind, 'default')).toBe(1);
  });
});

it('the baseline of an older version shows a key that was removed while no process watched, although a removal leaves no timestamp', async () => {
  const cluster = new Harness();
  cluster.seed(configMap({ name: 'app', data: { color: 'red', size: 'large' } }));
  await cluster.clock.advance(10_000);
  cluster.seed(deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] }));
  await (await cluster.start()).stop();
  const { metadata } = await cluster.get('Deployment', 'web');
  const older = metadata.annotations?.[baselineKey]?.replace(/"uid":"[^"]*",/, '') ?? '';
  expect(older).toContain('"n":1,');
  await cluster.patch('Deployment', 'web', { metadata: { annotations: { [baselineKey]: older } } });
  await cluster.edit('ConfigMap', 'app', { size: null });
  await cluster.clock.advance(60_000);
  await cluster.start();
  await cluster.clock.advance(60_000);
  expect(cluster.restarts('Deployment', 'web')).toBe(1);
});
