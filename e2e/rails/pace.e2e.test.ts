import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { numberAt, objectAt, withValueAt } from '../apiserver/json';
import { configMap, deployment, fromConfigMap } from '../apiserver/cluster';
import { auto, patient, TestNamespace } from '../cluster/test-namespace';
import { pollUntil } from '../control-plane/poll';
import type { RerollProcess } from '../reroll-process';
import { RerollCluster } from '../webhook/reroll-cluster';
import { generationsOf, writesSince } from './generations';
import { workloadWrites } from './workload-writes';

/** A pod is ready at once, and its Deployment calls it available after this time. */
const minReadySeconds = 3;
const takeoverMs = 60_000;
const maxRolling = 'reroll.dev/max-rolling';
/** Each node of the control plane has it, with its own name: so each is a pool. */
const nodePoolLabel = 'kubernetes.io/hostname';

let cluster: RerollCluster;
let leader: RerollProcess;
let standby: RerollProcess;
/** A restart here proves that what was written before has been seen. */
let others: TestNamespace;

beforeAll(async () => {
  cluster = await RerollCluster.start([]);
  const pools = ['--max-rolling-per-node-pool=2', `--node-pool-label=${nodePoolLabel}`];
  const flags = ['--max-rolling=6', '--max-rolling-per-namespace=4', ...pools];
  leader = await cluster.reconciler(0, flags);
  await leader.line(({ message }) => message === 'started leading');
  standby = await cluster.reconciler(1, flags);
  others = await TestNamespace.create(cluster, 'others');
});

afterAll(async () => await cluster.stop());

interface App {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly podLabels?: Readonly<Record<string, string>>;
  readonly nodePool?: string;
}

function appObject(name: string, { annotations = {}, podLabels = {}, nodePool }: App) {
  const pod = { podLabels, envFrom: [fromConfigMap('app')] };
  const object = deployment({ name, annotations: { ...auto, ...annotations }, ...pod, spec: { minReadySeconds } });
  if (nodePool === undefined) return object;
  const path = ['template', 'spec', 'nodeSelector'];
  return { ...object, spec: withValueAt(objectAt(object, 'spec'), path, { [nodePoolLabel]: nodePool }) };
}

/** The workloads of a namespace that Reroll has written, in order. A write that was refused is repeated. */
async function storedWrites(namespace: string): Promise<readonly string[]> {
  const writes = await workloadWrites(cluster, namespace);
  return writes.flatMap(({ objectRef, responseStatus }) =>
    responseStatus?.code === 200 ? [objectRef?.name ?? ''] : [],
  );
}

/** Deployments of one ConfigMap in a namespace of their own, rolled out and recorded. */
class Fleet {
  readonly namespace: TestNamespace;
  readonly names: readonly string[];
  /** The writes before any restart: each records a baseline. */
  #recordings = 0;

  static async create(name: string, apps: Readonly<Record<string, App>>): Promise<Fleet> {
    const namespace = await TestNamespace.create(cluster, name);
    await namespace.create(configMap({ name: 'app', data: { color: 'red' } }));
    for (const [app, options] of Object.entries(apps)) await namespace.create(appObject(app, options));
    const fleet = new Fleet(namespace, Object.keys(apps));
    for (const app of fleet.names) await namespace.adopted('Deployment', app);
    const isSick = (app: string): boolean => apps[app]?.podLabels !== undefined;
    await pollUntil(
      `all of ${name} to be rolled out`,
      async () => ((await fleet.rolling()).every(isSick) ? true : undefined),
      patient,
    );
    fleet.#recordings = (await storedWrites(name)).length;
    return fleet;
  }

  private constructor(namespace: TestNamespace, names: readonly string[]) {
    this.namespace = namespace;
    this.names = names;
  }

  /** Those that are not rolled out, as the API server shows it in one list. */
  async rolling(): Promise<readonly string[]> {
    return (await this.namespace.all('Deployment')).flatMap((object) => {
      const of = (field: string): number => numberAt(object, 'status', field) ?? 0;
      const [replicas, generation] = [numberAt(object, 'spec', 'replicas'), object.metadata.generation ?? 0];
      const isDone =
        of('observedGeneration') >= generation &&
        of('updatedReplicas') === replicas &&
        of('replicas') === replicas &&
        of('availableReplicas') === replicas;
      return isDone ? [] : [object.metadata.name];
    });
  }

  /** The Deployments in the order in which they were restarted. */
  async restarted(): Promise<readonly string[]> {
    const writes = await storedWrites(this.namespace.name);
    return writes.slice(this.#recordings);
  }

  async untilRestarted(times: number): Promise<void> {
    const isDone = async (): Promise<true | undefined> => ((await this.restarted()).length >= times ? true : undefined);
    await pollUntil(`${times} restarts in ${this.namespace.name}`, isDone, patient);
  }

  /** Changes the ConfigMap, and looks at how many roll until so many are restarted. Resolves with the most at once. */
  async change(
    color: string,
    count: number,
    look: () => Promise<unknown> = async () => await Promise.resolve(),
  ): Promise<number> {
    const before = await generationsOf(this.namespace);
    await this.namespace.paint('app', color);
    let most = 0;
    await pollUntil(
      `${count} restarts in ${this.namespace.name}`,
      async () => {
        most = Math.max(most, (await this.rolling()).length);
        await look();
        return (await writesSince(this.namespace, before)).size >= count ? true : undefined;
      },
      { timeoutMs: 150_000, intervalMs: 200 },
    );
    return most;
  }
}

function appsOf(count: number, prefix = 'app', app: App = {}): Readonly<Record<string, App>> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}-${index}`, app]));
}

describe('on a real control plane', () => {
  it('no more of a namespace roll at once than the flag says, and each restarts once', async () => {
    const fleet = await Fleet.create('flagged', appsOf(10));
    expect(await fleet.change('blue', 10)).toBe(4);
    await fleet.untilRestarted(10);
    expect((await fleet.restarted()).toSorted()).toEqual([...fleet.names].toSorted());
  });

  it('no more of the cluster roll at once than the flag says', async () => {
    const [one, other] = [await Fleet.create('one', appsOf(6)), await Fleet.create('other', appsOf(6))];
    let most = 0;
    const look = async (): Promise<void> => {
      const rolling = (await Promise.all([one.rolling(), other.rolling()])).flat();
      most = Math.max(most, rolling.length);
    };
    const both = await Promise.all([one.change('blue', 6, look), other.change('blue', 6, look)]);
    expect(most).toBeLessThanOrEqual(6);
    expect(Math.max(...both)).toBeLessThanOrEqual(4);
    expect(most).toBeGreaterThan(3);
  });

  it('no more of a node pool roll at once than the flag says, and those of others do not wait for it', async () => {
    const first = appsOf(6, 'first', { nodePool: 'node-0' });
    const fleet = await Fleet.create('pools', { ...first, ...appsOf(2, 'second', { nodePool: 'node-1' }) });
    let inFirst = 0;
    const most = await fleet.change('blue', 8, async () => {
      const rolling = await fleet.rolling();
      inFirst = Math.max(inFirst, rolling.filter((name) => name.startsWith('first')).length);
    });
    expect([inFirst, most]).toEqual([2, 4]);
    await fleet.untilRestarted(8);
    expect((await fleet.restarted()).toSorted()).toEqual([...fleet.names].toSorted());
  });

  it('an annotation of the namespace counts instead, and one of the source too', async () => {
    const fleet = await Fleet.create('annotated', appsOf(5));
    await fleet.namespace.patch('Namespace', 'annotated', { metadata: { annotations: { [maxRolling]: '2' } } });
    await others.laterChangeAnswered();
    expect(await fleet.change('blue', 5)).toBe(2);
    await fleet.namespace.patch('ConfigMap', 'app', { metadata: { annotations: { [maxRolling]: '1' } } });
    await others.laterChangeAnswered();
    expect(await fleet.change('green', 5)).toBe(1);
  });

  it('waves and names are kept, and one that does not become ready keeps those after it', async () => {
    const fleet = await Fleet.create('ordered', {
      last: { annotations: { 'reroll.dev/wave': '10' } },
      web: { annotations: { 'reroll.dev/after': 'deployment/db' } },
      db: {},
      first: { annotations: { 'reroll.dev/wave': '-1' } },
    });
    await fleet.change('blue', 4);
    await fleet.untilRestarted(4);
    expect(await fleet.restarted()).toEqual(['first', 'db', 'web', 'last']);
    const labels = { 'control-plane.e2e/pod': 'crash-loop' };
    await fleet.namespace.patch('Deployment', 'first', { spec: { template: { metadata: { labels } } } });
    await fleet.namespace.paint('app', 'green');
    await fleet.namespace.eventWith('ReloadDeferred db: deferred (reroll.dev/wave -1 comes first: Deployment first');
    await fleet.untilRestarted(5);
    await others.laterChangeAnswered();
    expect((await fleet.restarted()).slice(4)).toEqual(['first']);
    await fleet.namespace.delete('Deployment', 'first');
    await fleet.untilRestarted(8);
    expect((await fleet.restarted()).slice(4)).toEqual(['first', 'db', 'web', 'last']);
  });

  it('the next leader knows what still rolls, and restarts each of the others once', async () => {
    const fleet = await Fleet.create('taken-over', appsOf(8));
    const before = await generationsOf(fleet.namespace);
    let isKilled = false;
    const most = await fleet.change('blue', 8, async () => {
      if (isKilled || (await fleet.restarted()).length === 0) return;
      isKilled = true;
      await leader.end('SIGKILL');
    });
    await standby.line(({ message }) => message === 'started leading', takeoverMs);
    expect(most).toBeLessThanOrEqual(4);
    await others.laterChangeAnswered();
    const written = await writesSince(fleet.namespace, before);
    expect([written.size, new Set(written.values())]).toEqual([fleet.names.length, new Set([1])]);
  });
});
