import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { csiVolume, secretProviderClass, secretProviderClassPodStatus } from '../apiserver/add-ons';
import { configMap, deployment } from '../apiserver/cluster';
import { type ContractClient } from '../apiserver/contract/contract-client';
import { pollUntil } from '../control-plane/poll';
import type { Values } from '../deploy/rendered-chart';
import type { RerollProcess } from '../reroll-process';
import { App } from '../webhook/app';
import { expectOneRestart } from '../webhook/expect-restart';
import { leaderOf } from '../webhook/leader';
import { MovedKeeper } from '../webhook/moved-keeper';
import { untilCalled } from '../webhook/probe';
import { refusePink } from '../webhook/refused-writes';
import { metricsOf, namespace, ownNamespace } from '../webhook/reroll-cluster';
import { servedFingerprint } from '../webhook/served-certificate';
import { ChartCluster } from './chart-cluster';
import { releaseEach, restartEach } from './every-kind';
import { grantsOfOurs } from './grants';
import { refusedRequests, unusedRights } from './rights-used';
import { rollBackEach } from './roll-back-each';

const dayMs = 24 * 60 * 60_000;

interface Case {
  readonly what: string;
  readonly values: Values;
  /** CSI, metaInfo and rollback are on, and the API server does not stream lists, like those before 1.32. */
  readonly everything?: true;
}

const cases: readonly Case[] = [
  { what: 'the default values', values: {} },
  {
    what: 'everything switched on',
    values: {
      reloader: {
        deployment: { replicas: 2 },
        enableCSIIntegration: true,
        namespaceSelector: 'team=shop',
        metaInfo: true,
        rollback: true,
        healthyFor: '3s',
        stageDeadline: '15s',
      },
    },
    everything: true,
  },
  {
    what: 'some namespaces only',
    values: { reloader: { watchGlobally: false, namespaces: [namespace] } },
  },
];

describe.each(cases.map((each) => [each.what, each] as const))('with %s', (_, { values, everything }) => {
  let cluster: ChartCluster;
  let alice: ContractClient;
  let webhook: RerollProcess;
  let reconcilers: RerollProcess[];

  beforeAll(async () => {
    cluster = await ChartCluster.start(everything ? ['--feature-gates=WatchList=false'] : []);
    await cluster.plane.kubectl(['label', 'namespace', namespace, 'team=shop']);
    alice = await cluster.editor('alice');
    await cluster.define('workloads');
    await refusePink(cluster, alice);
    await cluster.release(values);
  });

  afterAll(async () => await cluster.stop());

  it('the processes start', async () => {
    const certs = await cluster.start('certs');
    // Reconcilers start before the webhook: one of them creates the digest key.
    reconcilers = await Promise.all([0, 1].map(async (replica) => await cluster.start('reconciler', { replica })));
    // With the flags of its pods, the webhook finds the reconcilers by their EndpointSlices.
    const asStored = await cluster.start('webhook');
    await asStored.end();
    webhook = await cluster.start('webhook', { flags: [cluster.reconcilerAddresses] });
    await certs.end();
    await untilCalled(cluster, webhook, ['mutating', 'validating']);
  });

  it('workloads of each kind are restarted, by name of the author', async () => {
    const reconciler = await leaderOf(reconcilers);
    await expectOneRestart(await App.create(cluster, 'web'), { alice, reconciler, path: 'both' });
    await restartEach(cluster, { user: alice, leader: reconciler });
  });

  it('content is checked against a schema in a ConfigMap', async () => {
    const isSchema = { 'reroll.dev/is-schema': 'true' };
    const data = { 'app.json': '{"required": ["port"]}' };
    await cluster.apply(configMap({ name: 'shapes', namespace, annotations: isSchema, data }));
    const annotations = { 'reroll.dev/validate': 'deny', 'reroll.dev/schema': 'shapes' };
    const wrong = configMap({ name: 'checked', namespace, annotations, data: { 'a.json': '{}' } });
    const { status, body } = await alice.post(`/api/v1/namespaces/${namespace}/configmaps`, wrong);
    expect([status, body['message']]).toEqual([422, expect.stringContaining('(shapes/app.json:1:14)')]);
  });

  if (everything === true) {
    it('a rotation of CSI secrets restarts', async () => {
      const reconciler = await leaderOf(reconcilers);
      const within = <T extends { readonly metadata: object }>(object: T): T => ({
        ...object,
        metadata: { ...object.metadata, namespace },
      });
      const annotations = { 'reloader.stakater.com/auto': 'true' };
      await cluster.apply(
        within(secretProviderClass('vault')),
        within(secretProviderClassPodStatus('a', 'vault', { password: '1' })),
        deployment({ name: 'mounting', namespace, annotations, ...csiVolume('vault') }),
      );
      await reconciler.line(({ message }) => message.startsWith(`Deployment ${namespace}/mounting: baseline`));
      await cluster.apply(within(secretProviderClassPodStatus('a', 'vault', { password: '2' })));
      await reconciler.line(({ message }) => message === `Deployment ${namespace}/mounting restarted`);
    });

    it('a content that breaks the first user is put back', async () => {
      await rollBackEach(cluster, { team: 'shop' });
    });

    it('what an upgrade changes is published', async () => {
      const published = async (): Promise<string> => {
        const path = `/api/v1/namespaces/${ownNamespace}/configmaps/reloader-meta-info`;
        return JSON.stringify((await cluster.admin.get(path)).body['data']);
      };
      const before = await published();
      await cluster.release({ reloader: { ...(values['reloader'] as Values), reloadOnCreate: true } });
      const upgraded = await cluster.start('reconciler', { replica: 2 });
      await pollUntil('other options', async () => ((await published()) === before ? undefined : true));
      await upgraded.end();
    });
  }

  it('a change that is announced and then refused restarts nothing', async () => {
    const reconciler = await leaderOf(reconcilers);
    const app = await App.create(cluster, 'refused');
    await app.restartsNever(async () => {
      expect((await app.paint(alice, 'pink')).status).toBe(422);
      const isPhantom = async (): Promise<true | undefined> =>
        (await metricsOf(reconciler)).sum('reroll_hints_total', { result: 'phantom' }) > 0 ? true : undefined;
      await pollUntil('the hint to be a phantom', isPhantom, { timeoutMs: 90_000 });
    });
  });

  it('a certificate that is due is renewed, and served', async () => {
    const path = `/api/v1/namespaces/${ownNamespace}/secrets/reroll-certs`;
    const stored = async (): Promise<string> => {
      const { data } = (await cluster.admin.get(path)).body as unknown as { readonly data: Record<string, string> };
      return new X509Certificate(Buffer.from(data['webhook.crt'] ?? '', 'base64')).fingerprint256;
    };
    const served = async (fingerprint: string): Promise<void> => {
      await pollUntil('the webhook to serve what is stored', async () =>
        (await servedFingerprint(cluster.webhookPort)) === fingerprint ? true : undefined,
      );
    };
    await cluster.emptySecret('reroll-ca');
    await new MovedKeeper(cluster, { caLifeMs: 365 * dayMs, leafLifeMs: 30 * dayMs }).keep(-25 * dayMs);
    const due = await stored();
    await served(due);
    const certs = await cluster.start('certs');
    const renewed = await pollUntil('a renewed certificate', async () => {
      const now = await stored();
      return now === due ? undefined : now;
    });
    await served(renewed);
    await certs.end();
    await untilCalled(cluster, webhook, ['mutating', 'validating']);
  });

  it('another reconciler leads when the leader is killed, and restarts by watching alone', async () => {
    const leader = await leaderOf(reconcilers);
    await leader.end('SIGKILL');
    cluster.service.endpoint = undefined;
    await webhook.end();
    const reconciler = await leaderOf(reconcilers.filter((each) => each !== leader));
    await expectOneRestart(await App.create(cluster, 'after'), { alice, reconciler, path: 'watch' });
    // With a webhook, the write of the new template would include the restart, and nothing would be read for it.
    await releaseEach(cluster, reconciler);
  });

  it('no request was refused, and no right is left over', async () => {
    const entries = await cluster.plane.auditEntries();
    const ours = entries.filter(({ user }) => user.username.startsWith(`system:serviceaccount:${ownNamespace}:`));
    const unused = unusedRights(await grantsOfOurs(cluster.admin), ours);
    // If lists are streamed, the watch delivers them and `list` stays unused.
    const unexpected = unused
      .filter((right) => everything === true || !right.includes(': list '))
      // The history takes its next ConfigMap when one is full.
      .filter((right) => !/: update configmaps reroll-history-[1-7]$/.test(right));
    expect({ refused: refusedRequests(ours), unused: unexpected }).toEqual({ refused: [], unused: [] });
  });
});
