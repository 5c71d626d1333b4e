import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { ContractClient } from '../apiserver/contract/contract-client';
import { createAuthority } from '../control-plane/certificates';
import type { RerollProcess } from '../reroll-process';
import { admissionFailures } from './admission-counts';
import { App } from './app';
import { expectOneRestart } from './expect-restart';
import { garbage, startGarbageServer } from './garbage-server';
import { MovedKeeper } from './moved-keeper';
import { untilCalled, untilFailOpen } from './probe';
import { ownNamespace, RerollCluster } from './reroll-cluster';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

let cluster: RerollCluster;
let alice: ContractClient;
let reconciler: RerollProcess;
let webhook: RerollProcess;
let apps = 0;

beforeAll(async () => {
  cluster = await RerollCluster.start();
  alice = await cluster.editor('alice');
  reconciler = await cluster.reconciler();
});

afterAll(async () => await cluster.stop());

/** Starts a webhook and waits until the API server calls it, so that failures come only from what a test did. */
beforeEach(async () => {
  await cluster.keepCertificates();
  webhook = await cluster.webhook();
  await untilCalled(cluster, webhook);
});

afterEach(async () => await webhook.end('SIGKILL'));

async function newApp(): Promise<App> {
  return await App.create(cluster, `app-${String(apps++)}`);
}

/** Expects that the call fails open, so that the watch finds the change. */
async function expectFoundByWatch(app: App): Promise<void> {
  const before = await admissionFailures(cluster);
  await expectOneRestart(app, { alice, reconciler, path: 'watch' });
  const after = await admissionFailures(cluster);
  expect(after.failOpen).toBe(before.failOpen + 1);
}

async function setCaBundle(pem: string): Promise<void> {
  const caBundle = Buffer.from(pem).toString('base64');
  const patch = [0, 1].map((index) => ({
    op: 'add',
    path: `/webhooks/${String(index)}/clientConfig/caBundle`,
    value: caBundle,
  }));
  await cluster.plane.kubectl([
    ...['patch', 'validatingwebhookconfiguration', 'reroll', '--type=json', '-p', JSON.stringify(patch)],
  ]);
}

it('killed', async () => {
  const app = await newApp();
  await webhook.end('SIGKILL');
  await expectFoundByWatch(app);
});

it('frozen', async () => {
  const app = await newApp();
  process.kill(webhook.pid!, 'SIGSTOP');
  await expectFoundByWatch(app);
});

it('with an expired certificate', async () => {
  const app = await newApp();
  await cluster.emptySecret('reroll-ca');
  const keeper = new MovedKeeper(cluster, { caLifeMs: 30 * dayMs, leafLifeMs: hourMs });
  await keeper.keep(-2 * hourMs);
  await webhook.line(({ message, notAfter }) => message === 'new certificate in use' && isPast(notAfter));
  await untilFailOpen(cluster);
  await expectFoundByWatch(app);
});

it('with a caBundle that is not of its CA', async () => {
  const app = await newApp();
  await setCaBundle((await createAuthority('another')).caPem);
  await untilFailOpen(cluster);
  await expectFoundByWatch(app);
});

it('with a caBundle that is none', async () => {
  const app = await newApp();
  await setCaBundle('garbage');
  await untilFailOpen(cluster);
  await expectFoundByWatch(app);
});

it.each(Object.entries(garbage))('answering %s', async (_what, give) => {
  const app = await newApp();
  await webhook.end('SIGKILL');
  const server = await startGarbageServer(cluster.webhookPort, await servedCertificate(), give);
  try {
    await expectFoundByWatch(app);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

it('recovers: the author is known, and no write was refused at any time', async () => {
  await expectOneRestart(await newApp(), { alice, reconciler, path: 'both' });
  expect(await admissionFailures(cluster)).toMatchObject({ rejected: 0, conditionErrors: 0 });
});

function isPast(notAfter: unknown): boolean {
  return Date.parse(String(notAfter)) < Date.now();
}

async function servedCertificate(): Promise<object> {
  const { body } = await cluster.admin.get(`/api/v1/namespaces/${ownNamespace}/secrets/reroll-certs`);
  const data = body['data'] as Readonly<Record<string, string>>;
  const pem = (key: string): Buffer => Buffer.from(data[key] ?? '', 'base64');
  return { cert: pem('webhook.crt'), key: pem('webhook.key') };
}
