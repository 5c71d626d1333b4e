import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { configMap, deployment, fromConfigMap } from '../apiserver/cluster';
import type { ContractClient } from '../apiserver/contract/contract-client';
import type { JsonObject } from '../apiserver/json';
import { pollUntil } from '../control-plane/poll';
import type { RerollProcess } from '../reroll-process';
import { admissionFailures, noFailures } from './admission-counts';
import { App } from './app';
import { untilCalled } from './probe';
import { namespace, RerollCluster } from './reroll-cluster';

const rounds = 20;
const auto = { 'reloader.stakater.com/auto': 'true' };
const baselineKey = 'reroll.dev/baseline';

interface Stored {
  readonly spec: { readonly template: JsonObject };
  readonly metadata: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly managedFields: readonly { readonly manager: string; readonly fieldsV1: object }[];
  };
}

let cluster: RerollCluster;
let alice: ContractClient;
let kubeconfig: string;
let reconciler: RerollProcess;

beforeAll(async () => {
  cluster = await RerollCluster.start(['mutating']);
  alice = await cluster.editor('alice');
  kubeconfig = await cluster.plane.kubeconfigFor('alice');
  const [started, webhook] = await Promise.all([cluster.reconciler(), cluster.webhook()]);
  reconciler = started;
  await untilCalled(cluster, webhook, ['mutating']);
});

afterAll(async () => await cluster.stop());

/** The manifest that the owner keeps in git; each round is a new revision. */
function manifest(name: string, round = 0, annotations: Readonly<Record<string, string>> = auto): JsonObject {
  const made = deployment({ name, namespace, annotations, envFrom: [fromConfigMap(name)] });
  return { ...made, metadata: { ...(made['metadata'] as JsonObject), labels: { round: String(round) } } };
}

const pathOf = (name: string): string => `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`;

async function stored(name: string): Promise<Stored> {
  return (await cluster.admin.get(pathOf(name))).body as unknown as Stored;
}

async function replicaSets(name: string): Promise<number> {
  const path = `/apis/apps/v1/namespaces/${namespace}/replicasets?labelSelector=app%3D${name}`;
  return ((await cluster.admin.get(path)).body as unknown as { readonly items: readonly object[] }).items.length;
}

/** Runs kubectl as alice does at her terminal. */
async function kubectl(object: JsonObject, ...args: readonly string[]): Promise<string> {
  return await cluster.plane.kubectl(['--kubeconfig', kubeconfig, ...args, '-f', '-'], { stdin: stringify(object) });
}

/** Creates an app and restarts it once, so that it has the marks of a restart. */
async function restarted(name: string): Promise<Stored> {
  const app = await App.create(cluster, name);
  await app.restartsOnce(async () => {
    await app.paint(alice, 'blue');
  });
  return await stored(name);
}

describe('a new workload', () => {
  it('has its baseline in its creation, and no write of ours follows', async () => {
    const name = 'newborn';
    await cluster.apply(configMap({ name, namespace, data: { color: 'red' } }));
    await reconciler.line(({ message }) => message === 'started leading');
    // The leader records nothing for a source that it has not seen yet, so create until it has.
    const born = await pollUntil('a birth with its ConfigMap', async () => {
      await alice.delete(pathOf(name));
      const { body } = await alice.post(`/apis/apps/v1/namespaces/${namespace}/deployments`, manifest(name));
      const object = body as unknown as Stored;
      return object.metadata.annotations?.[baselineKey]?.includes('"cm/app"') === false ? object : undefined;
    });
    expect(born.metadata.annotations?.[baselineKey]).toContain(`"cm/${name}"`);
    const app = await App.create(cluster, name);
    const { metadata } = await stored(name);
    expect(metadata.annotations?.[baselineKey]).toBe(born.metadata.annotations?.[baselineKey]);
    expect(metadata.managedFields.map(({ manager }) => manager)).not.toContain('reroll');
    // This baseline is as good as one that the engine has written.
    await app.restartsOnce(async () => {
      await app.paint(alice, 'green');
    });
  });
});

describe('a write that takes no account of us, after a restart', () => {
  it.each([
    ['kubectl replace', 'replaced', async (object: JsonObject) => await kubectl(object, 'replace')],
    ['a PUT of the whole object', 'put', async (object: JsonObject) => await alice.put(pathOf('put'), object)],
    ['kubectl apply', 'applied', async (object: JsonObject) => await kubectl(object, 'apply')],
    [
      'server-side apply',
      'server-side',
      async (object: JsonObject) => await kubectl(object, 'apply', '--server-side', '--field-manager=gitops'),
    ],
  ] as const)('by %s, 20 times, replaces no pods and leaves the baseline as it is', async (_, name, write) => {
    const before = await restarted(name);
    expect(before.metadata.annotations?.[baselineKey]).toContain('"n":2');
    if (name === 'server-side')
      await kubectl(manifest(name), 'apply', '--server-side', '--field-manager=gitops', '--force-conflicts');
    for (let round = 1; round <= rounds; round++) {
      await write(manifest(name, round));
      const after = await stored(name);
      expect(after.spec).toEqual(before.spec);
      expect(after.metadata.annotations?.[baselineKey]).toBe(before.metadata.annotations?.[baselineKey]);
    }
    const after = await stored(name);
    expect(await replicaSets(name)).toBe(2);
    expect(after.metadata.labels).toEqual({ round: String(rounds) });
  });

  it('leaves no diff to who applies, by either way, and no conflict', async () => {
    for (const flags of [[], ['--server-side', '--field-manager=gitops']]) {
      const name = flags.length === 0 ? 'applied' : 'server-side';
      // kubectl exits with 1, and so throws, if there is a difference.
      expect(await kubectl(manifest(name, rounds), 'diff', ...flags)).toBe('');
    }
  });

  it('leaves what it put back to nobody, so that nobody is told of a conflict', async () => {
    const { metadata } = await stored('server-side');
    const owners = metadata.managedFields.filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes(baselineKey));
    expect(owners.map(({ manager }) => manager)).not.toContain('gitops');
  });
});

describe('who asks for it', () => {
  it('opts out, and nothing is put back', async () => {
    const { metadata } = await restarted('leaving');
    expect(metadata.annotations?.[baselineKey]).toBeDefined();
    await kubectl(manifest('leaving', 1, {}), 'replace');
    expect((await stored('leaving')).metadata.annotations?.[baselineKey]).toBeUndefined();
  });

  it('takes the baseline away by name, and that goes through', async () => {
    await restarted('stripped');
    const args = ['-n', namespace, '--kubeconfig', kubeconfig, 'annotate', 'deployment/stripped'];
    const out = await cluster.plane.kubectl([...args, `${baselineKey}-`, 'reroll.dev/last-restart-', '-o', 'yaml']);
    expect(out).not.toContain(`${baselineKey}:`);
  });
});

it('nothing that the webhook did failed', async () => {
  expect(await admissionFailures(cluster)).toEqual(noFailures);
});
