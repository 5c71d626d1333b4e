import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseBaseline } from '../../shared/domain/baseline/baseline';
import { deployment, fromConfigMap } from '../apiserver/cluster';
import type { ContractClient } from '../apiserver/contract/contract-client';
import type { JsonObject } from '../apiserver/json';
import { pollUntil } from '../control-plane/poll';
import type { RerollProcess } from '../reroll-process';
import { App } from './app';
import { FaultyServer } from './faulty-server';
import { untilCalled } from './probe';
import { metricsOf, namespace, reconcilerAccount, RerollCluster } from './reroll-cluster';

const lagMs = 30_000;
const baselineKey = 'reroll.dev/baseline';

interface Stored {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly template: JsonObject };
}

let cluster: RerollCluster;
let alice: ContractClient;
let lagging: FaultyServer;
let leader: RerollProcess;
let standby: RerollProcess;
let app: App;

beforeAll(async () => {
  cluster = await RerollCluster.start(['mutating']);
  alice = await cluster.editor('alice');
  leader = await cluster.reconciler(0);
  await leader.line(({ message }) => message === 'started leading');
  const { apiServerUrl: server, caPem } = cluster.plane;
  lagging = await FaultyServer.start({ server, caPem, identity: await cluster.identityOf(reconcilerAccount) });
  standby = await cluster.reconciler(1, [], lagging);
  const webhook = await cluster.webhook({ reconcilers: 2 });
  await untilCalled(cluster, webhook, ['mutating']);
});

afterAll(async () => {
  lagging.close();
  await cluster.stop();
});

async function stored(name: string): Promise<Stored> {
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`;
  return (await cluster.admin.get(path)).body as unknown as Stored;
}

async function sequence(name: string): Promise<number> {
  return parseBaseline((await stored(name)).metadata.annotations?.[baselineKey] ?? '').sequence;
}

/** Replaces the Deployment as its owner does, without anything that Reroll wrote. */
async function replace(name: string, image: string): Promise<void> {
  const annotations = { 'reloader.stakater.com/auto': 'true' };
  const object = deployment({ name, namespace, annotations, image, envFrom: [fromConfigMap(name)] });
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}?fieldManager=operator`;
  expect((await alice.put(path, object)).status).toBe(200);
}

describe('a replica that sees everything 30 seconds late', () => {
  it('undoes no restart and takes no baseline back, as long as it stands by', async () => {
    app = await App.create(cluster, 'web');
    lagging.lagMs = lagMs;
    let image = 'registry.example/app:1';
    for (const [round, color] of ['blue', 'green', 'yellow'].entries()) {
      await app.restartsOnce(async () => {
        await app.paint(alice, color);
      });
      const { spec } = await stored(app.name);
      expect(await sequence(app.name)).toBe(round + 2);
      // The image stays the same: marker and baseline are kept.
      await replace(app.name, image);
      expect((await stored(app.name)).spec).toEqual(spec);
      expect(await sequence(app.name)).toBe(round + 2);
      // The image changes: the replica that is asked what to add to this write must know what was restarted for.
      image = `registry.example/app:${color}`;
      await replace(app.name, image);
      expect(await sequence(app.name)).toBe(round + 2);
    }
  });

  it('nor when it leads: what it remembers is older than what is stored', async () => {
    await leader.end('SIGKILL');
    await pollUntil(
      'the other to lead',
      async () => ((await metricsOf(standby)).sum('reroll_leader') === 1 ? true : undefined),
      { timeoutMs: 60_000 },
    );
    await app.restartsOnce(async () => {
      await app.paint(alice, 'white');
    });
    expect(await sequence(app.name)).toBe(5);
    await replace(app.name, 'registry.example/app:yellow');
    const before = await stored(app.name);
    // The leader records nothing for a ConfigMap that it has not seen. Once it has seen this one, its watches have
    // caught up with all earlier writes.
    await App.create(cluster, 'later');
    const isSeen = async (): Promise<true | undefined> =>
      (await stored('later')).metadata.annotations?.[baselineKey]?.includes('cm/later') === true ? true : undefined;
    await pollUntil('the watches to show what is new', isSeen, { timeoutMs: 3 * lagMs });
    const after = await stored(app.name);
    expect(after.spec).toEqual(before.spec);
    expect(after.metadata.annotations?.[baselineKey]).toBe(before.metadata.annotations?.[baselineKey]);
  });
});
