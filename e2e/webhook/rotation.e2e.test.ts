import { setTimeout as delay } from 'node:timers/promises';
import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { coverageProblem } from '../../certs/coverage';
import type { ContractClient } from '../apiserver/contract/contract-client';
import { pollUntil } from '../control-plane/poll';
import type { RerollProcess } from '../reroll-process';
import { admissionFailures, noFailures } from './admission-counts';
import { App } from './app';
import { expectOneRestart } from './expect-restart';
import { MovedKeeper } from './moved-keeper';
import { metricsOf, ownNamespace, RerollCluster } from './reroll-cluster';
import { servedFingerprint } from './served-certificate';
import { WriteLoad } from './write-load';

const minuteMs = 60_000;

/**
 * For an hour and a half of moved time. Each certificate must be valid at the real time as well, so none is issued so
 * early that it would have expired, and none more than an hour ahead, because certificates are backdated by an hour.
 */
const lives = { caLifeMs: 45 * minuteMs, leafLifeMs: 30 * minuteMs };
const [firstMinute, lastMinute] = [-29, 55];

/** Stands for the minute in which API servers and replicas learn what the keeper wrote. */
const hearingMs = 2_000;

const registrationPath = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/reroll';

let cluster: RerollCluster;
let alice: ContractClient;
let reconciler: RerollProcess;
let webhook: RerollProcess;
let keeper: MovedKeeper;

beforeAll(async () => {
  cluster = await RerollCluster.start(['mutating', 'validating']);
  alice = await cluster.editor('alice');
  await cluster.emptySecret('reroll-ca');
  keeper = new MovedKeeper(cluster, lives);
  await keeper.keep(firstMinute * minuteMs);
  [reconciler, webhook] = await Promise.all([cluster.reconciler(), cluster.webhook()]);
});

afterAll(async () => await cluster.stop());

/** The stored certificates at one moved minute. */
interface Snapshot {
  readonly minute: number;
  /** The generation of the CA that signs. */
  readonly generation: number;
  /** The webhook's certificate. */
  readonly leaf: string;
  /** The CA certificates that API servers trust. */
  readonly caBundle: string;
}

interface StoredSecret {
  readonly data: Readonly<Record<string, string>>;
}

interface Registration {
  readonly webhooks: readonly { readonly clientConfig: { readonly caBundle: string } }[];
}

async function snapshot(minute: number): Promise<Snapshot> {
  const get = async (path: string): Promise<unknown> => (await cluster.admin.get(path)).body;
  const secret = async (name: string): Promise<StoredSecret['data']> =>
    ((await get(`/api/v1/namespaces/${ownNamespace}/secrets/${name}`)) as StoredSecret).data;
  const [authority, published] = [await secret('reroll-ca'), await secret('reroll-certs')];
  const { webhooks } = (await get(registrationPath)) as Registration;
  const text = (base64 = ''): string => Buffer.from(base64, 'base64').toString('utf8');
  const { generation } = JSON.parse(text(authority['state.json'])) as { readonly generation: number };
  const caBundle = text(webhooks[0]?.clientConfig.caBundle);
  return { minute, generation, leaf: text(published['webhook.crt']), caBundle };
}

/** The problems of API servers that are up to a minute late, and of webhooks that are up to ten minutes late. */
function problemsOfLateOnes(history: readonly Snapshot[]): readonly string[] {
  const now = history.at(-1)!;
  const late = (what: string, { minute }: Snapshot, leaf: string, caBundle: string): readonly string[] => {
    const problem = coverageProblem(leaf, caBundle, `reroll-webhook.${ownNamespace}.svc`, Date.now());
    return problem === undefined ? [] : [`minute ${now.minute}, ${what} of minute ${minute}: ${problem}`];
  };
  return [
    ...history.slice(-2).flatMap((then) => late('an API server', then, now.leaf, then.caBundle)),
    ...history.slice(-10).flatMap((then) => late('a webhook', then, then.leaf, now.caBundle)),
  ];
}

it('CA and certificates are replaced again and again, and under load no write notices', async () => {
  const load = await WriteLoad.start(alice);
  const history = [await snapshot(firstMinute)];
  const lateProblems: string[] = [];
  for (let minute = firstMinute; minute <= lastMinute; minute++) {
    await keeper.keep(minute * minuteMs);
    const [before, now] = [history.at(-1)!, await snapshot(minute)];
    history.push(now);
    lateProblems.push(...problemsOfLateOnes(history));
    if (now.leaf === before.leaf && now.caBundle === before.caBundle) continue;
    await pollUntil('the webhook to serve what is stored', async () =>
      (await servedFingerprint(cluster.webhookPort)) === new X509Certificate(now.leaf).fingerprint256
        ? true
        : undefined,
    );
    await delay(hearingMs);
  }
  const { perSecond, failures } = await load.stop();
  // Two CAs after the first one. Each has signed every certificate, and some certificates were renewed in between.
  expect(history.at(-1)?.generation).toBe(3);
  const certificates = new Set(history.map(({ leaf }) => leaf)).size;
  expect(certificates).toBeGreaterThanOrEqual(5);
  expect(lateProblems).toEqual([]);

  expect(failures).toEqual([]);
  expect(perSecond).toBeGreaterThan(50);
  expect(await admissionFailures(cluster)).toEqual(noFailures);

  const metrics = await metricsOf(webhook);
  expect(metrics.sum('reroll_webhook_tls_errors_total')).toBe(0);
  expect(metrics.sum('reroll_webhook_shed_total')).toBe(0);
  expect(metrics.sum('reroll_webhook_certificate_swaps_total', { result: 'applied' })).toBeGreaterThanOrEqual(
    certificates,
  );
  expect(metrics.sum('reroll_webhook_certificate_swaps_total', { result: 'refused' })).toBe(0);
  expect(metrics.sum('reroll_channel_dropped_records_total')).toBe(0);
}, 240_000);

it('afterwards a change still names its author', async () => {
  await expectOneRestart(await App.create(cluster, 'after'), { alice, reconciler, path: 'both' });
});
