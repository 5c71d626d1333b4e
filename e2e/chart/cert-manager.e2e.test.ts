import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { merge, type ContractClient } from '../apiserver/contract/contract-client';
import { certManagerFile } from '../control-plane/add-ons';
import { pollUntil } from '../control-plane/poll';
import type { RerollProcess } from '../reroll-process';
import { admissionFailures } from '../webhook/admission-counts';
import { App } from '../webhook/app';
import { expectOneRestart } from '../webhook/expect-restart';
import { untilCalled } from '../webhook/probe';
import { metricsOf, ownNamespace } from '../webhook/reroll-cluster';
import { servedFingerprint } from '../webhook/served-certificate';
import { WriteLoad } from '../webhook/write-load';
import { ChartCluster } from './chart-cluster';
import { refusedRequests } from './rights-used';

const hooks = ['mutating', 'validating'] as const;

let cluster: ChartCluster;
let alice: ContractClient;
let reconciler: RerollProcess;
let webhook: RerollProcess;

beforeAll(async () => {
  cluster = await ChartCluster.start();
  alice = await cluster.editor('alice');
  await cluster.define('install');
  const args = [`--kubeconfig=${cluster.plane.adminKubeconfigPath}`];
  await cluster.plane.startServer({ name: 'cert-manager', file: certManagerFile(), args });
  await cluster.release({ certificates: { mode: 'certManager' } });
});

afterAll(async () => await cluster.stop());

/** The certificate in the Secret for this use. */
async function issued(use: string): Promise<X509Certificate> {
  const { body } = await cluster.admin.get(`/api/v1/namespaces/${ownNamespace}/secrets/reroll-${use}-tls`);
  const data = body['data'] as Readonly<Record<string, string>>;
  return new X509Certificate(Buffer.from(data['tls.crt'] ?? '', 'base64'));
}

/** The caBundle of each webhook of a registration. */
async function injected(hook: (typeof hooks)[number]): Promise<readonly (string | undefined)[]> {
  const { body } = await cluster.admin.get(`/apis/admissionregistration.k8s.io/v1/${hook}webhookconfigurations/reroll`);
  const webhooks = body['webhooks'] as unknown as readonly { readonly clientConfig: { readonly caBundle?: string } }[];
  return webhooks.map(({ clientConfig }) => clientConfig.caBundle);
}

/** Renews a certificate like `cmctl renew`, and resolves once a new one is stored. */
async function renew(certificate: string, use: string): Promise<X509Certificate> {
  const path = `/apis/cert-manager.io/v1/namespaces/${ownNamespace}/certificates/${certificate}`;
  const before = await issued(use);
  const { status } = (await cluster.admin.get(path)).body as unknown as {
    readonly status: { readonly conditions: object[] };
  };
  const lastTransitionTime = new Date().toISOString();
  const issuing = {
    type: 'Issuing',
    status: 'True',
    reason: 'ManuallyTriggered',
    message: 'by a test',
    lastTransitionTime,
  };
  const conditions = [...status.conditions, issuing];
  expect((await cluster.admin.patch(`${path}/status`, merge, { status: { conditions } })).status).toBe(200);
  return await pollUntil(`another certificate of ${certificate}`, async () => {
    const now = await issued(use);
    return now.fingerprint256 === before.fingerprint256 ? undefined : now;
  });
}

it('cert-manager issues the certificates, and its cainjector tells the API server', async () => {
  const args = ['wait', '--namespace', ownNamespace, '--for=condition=Ready', 'certificate', '--all', '--timeout=60s'];
  await cluster.plane.kubectl(args);
  const { body } = await cluster.admin.get(`/api/v1/namespaces/${ownNamespace}/secrets/reroll-webhook-tls`);
  const ca = (body['data'] as Readonly<Record<string, string>>)['ca.crt'];
  for (const hook of hooks) {
    await pollUntil(`the caBundles of the ${hook} webhooks`, async () =>
      (await injected(hook)).every((bundle) => bundle === ca) ? true : undefined,
    );
  }
});

it('webhook and channel work with them', async () => {
  // Needed only for the token.
  await cluster.start('certs');
  [webhook, reconciler] = await Promise.all([
    cluster.start('webhook', { flags: [cluster.reconcilerAddresses] }),
    cluster.start('reconciler'),
  ]);
  await untilCalled(cluster, webhook, hooks);
  await expectOneRestart(await App.create(cluster, 'before'), { alice, reconciler, path: 'both' });
});

it('certificates are renewed under load: no write fails, and no call of the webhook', async () => {
  const failedBefore = await admissionFailures(cluster);
  const load = await WriteLoad.start(alice);
  for (let round = 1; round <= 2; round++) {
    await renew('reroll-channel', 'channel');
    await renew('reroll-client', 'client');
    const { fingerprint256 } = await renew('reroll-webhook', 'webhook');
    await pollUntil('the webhook to serve what is issued', async () =>
      (await servedFingerprint(cluster.webhookPort)) === fingerprint256 ? true : undefined,
    );
  }
  const { failures, perSecond } = await load.stop();
  expect(failures).toEqual([]);
  expect(perSecond).toBeGreaterThan(20);
  expect(await admissionFailures(cluster)).toEqual(failedBefore);
  const metrics = await metricsOf(webhook);
  expect(metrics.sum('reroll_webhook_tls_errors_total')).toBe(0);
  expect(metrics.sum('reroll_webhook_certificate_swaps_total', { result: 'refused' })).toBe(0);
  await expectOneRestart(await App.create(cluster, 'after'), { alice, reconciler, path: 'both' });
});

it('no right is missing', async () => {
  const entries = await cluster.plane.auditEntries();
  const ours = entries.filter(({ user }) => user.username.startsWith(`system:serviceaccount:${ownNamespace}:`));
  expect(ours.length).toBeGreaterThan(0);
  expect(refusedRequests(ours)).toEqual([]);
});
