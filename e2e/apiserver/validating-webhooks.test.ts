import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { webhookConfiguration } from '../../webhook/registration/webhook-configuration';
import { createAuthority, type CertificateAuthority } from '../control-plane/certificates';
import { ApiServer } from './api-server';
import { configMap, seed, seedNamespace } from './cluster';
import type { JsonObject } from './json';
import { writeBy } from './registry';
import { configMapKind, namespaceKind } from './resources';
import { seededRandom } from './seeded-random';
import { ValidatingWebhooks, validatingWebhookConfigurationKind, type WebhookCall } from './validating-webhooks';

type Answer = (review: JsonObject & { readonly request: { readonly uid: string } }) => object | string | undefined;

const closers: (() => void)[] = [];
let authority: CertificateAuthority;
let other: CertificateAuthority;

beforeAll(async () => {
  [authority, other] = await Promise.all([createAuthority('ours'), createAuthority('other')]);
});

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A cluster with Reroll's webhook registration, and a webhook that sends `answer`. Without one, it times out. */
async function world(answer: Answer, { failurePolicy = 'Ignore', ca = authority, dnsName = 'reroll-webhook' } = {}) {
  const { certPem, keyPem } = await authority.issue({ commonName: 'webhook', dnsNames: [`${dnsName}.reroll.svc`] });
  const clock = new FakeClock();
  const reviews: JsonObject[] = [];
  const listener = https.createServer({ cert: certPem, key: keyPem }, (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const review = JSON.parse(Buffer.concat(chunks).toString()) as Parameters<Answer>[0];
      reviews.push({ ...review, path: incoming.url ?? '' });
      const answered = answer(review);
      if (answered === undefined) void clock.advance(1_000);
      else outgoing.end(typeof answered === 'string' ? answered : JSON.stringify(answered));
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  let port: number | undefined = (listener.address() as AddressInfo).port;
  const calls: WebhookCall[] = [];
  const webhooks: ValidatingWebhooks = new ValidatingWebhooks({
    clock,
    configurations: () => server.store.list(validatingWebhookConfigurationKind),
    portOf: (service) => (service === 'reroll-webhook' ? port : undefined),
    onCall: (call) => calls.push(call),
  });
  const server: ApiServer = new ApiServer({
    ...{ clock, random: seededRandom(1) },
    customKinds: [validatingWebhookConfigurationKind],
    admission: [webhooks],
  });
  const configuration = webhookConfiguration('validating', { namespace: 'reroll', name: 'reroll-webhook' });
  seed(server, {
    ...configuration,
    webhooks: configuration.webhooks.map((webhook) => ({
      ...webhook,
      ...{ failurePolicy, timeoutSeconds: 1 },
      clientConfig: { ...webhook.clientConfig, caBundle: Buffer.from(ca.caPem).toString('base64') },
    })) as never,
  });
  seed(server, configMap({ name: 'app', namespace: 'shop', data: { color: 'red' } }));
  seedNamespace(server, 'reroll');
  closers.push(() => {
    webhooks.close();
    listener.close();
    listener.closeAllConnections();
  });
  const paint = async (color: string): Promise<unknown> =>
    await server.registry.update(writeBy('alice', 'kubectl-edit', 'patch'), configMapKind, 'shop', 'app', (object) => ({
      object: { ...object, data: { color } },
    }));
  return { server, reviews, calls, paint, gone: () => (port = undefined) };
}

const allow: Answer = ({ request: { uid } }) => ({ response: { uid, allowed: true } });

describe('a registered webhook', () => {
  it('is asked about a write before it is stored: who makes it, with what, and what it changes', async () => {
    const { paint, reviews, calls } = await world(allow);
    await paint('blue');
    expect(reviews).toMatchObject([
      {
        path: '/?timeout=1s',
        request: {
          operation: 'UPDATE',
          kind: { kind: 'ConfigMap' },
          userInfo: { username: 'alice' },
          options: { fieldManager: 'kubectl-edit' },
          object: { data: { color: 'blue' } },
          oldObject: { data: { color: 'red' } },
        },
      },
    ]);
    expect(calls).toMatchObject([{ webhook: 'configmaps.webhook.reroll.dev', failedOpen: undefined }]);
  });

  it('is not asked about other kinds, nor in namespaces that its selector leaves out', async () => {
    const { server, reviews } = await world(allow);
    const admin = writeBy('admin', 'kubectl', 'create');
    await server.registry.create(admin, namespaceKind, undefined, { metadata: { name: 'new' } });
    const own = { metadata: { name: 'a' }, data: {} };
    await server.registry.create(admin, configMapKind, 'reroll', own);
    expect(reviews).toEqual([]);
  });

  it('is asked in a dry run too, and what it warns of is handed on', async () => {
    const warnings = ['restarts deployment/web'];
    const { server, reviews } = await world(({ request: { uid } }) => ({ response: { uid, allowed: true, warnings } }));
    const write = { ...writeBy('alice', 'kubectl-edit', 'patch'), dryRun: true };
    await server.registry.update(write, configMapKind, 'shop', 'app', (object) => ({
      object: { ...object, data: { color: 'blue' } },
    }));
    expect(reviews).toMatchObject([{ request: { dryRun: true } }]);
    expect(write.warnings).toEqual(warnings);
  });

  it('can deny', async () => {
    const { paint } = await world(({ request: { uid } }) => ({ response: { uid, allowed: false } }));
    await expect(paint('blue')).rejects.toThrow('denied');
  });
});

describe('a webhook that cannot be asked', () => {
  it.each<[string, Answer, object, RegExp]>([
    ['answers garbage', () => 'garbage', {}, /JSON/],
    ['answers another review', () => ({ response: { uid: 'another', allowed: true } }), {}, /response.uid/],
    ['does not answer in time', () => undefined, {}, /abort/],
    ['has a certificate for another name', allow, { dnsName: 'reroll-channel' }, /reroll-webhook.reroll.svc/],
  ])('%s: the write goes on without it', async (_what, answer, options, why) => {
    const { paint, calls } = await world(answer, options);
    await paint('blue');
    expect(calls).toMatchObject([{ failedOpen: expect.stringMatching(why) }]);
  });

  it('has a certificate of a CA that is not in the caBundle: the write goes on without it', async () => {
    const { paint, calls } = await world(allow, { ca: other });
    await paint('blue');
    expect(calls).toMatchObject([{ failedOpen: expect.stringMatching(/certificate/) }]);
  });

  it('has no endpoints: the write goes on without it', async () => {
    const { paint, calls, gone } = await world(allow);
    gone();
    await paint('blue');
    expect(calls).toMatchObject([{ failedOpen: 'no endpoints available for service "reroll-webhook"' }]);
  });

  it('with failurePolicy Fail the write fails', async () => {
    const { paint, gone } = await world(allow, { failurePolicy: 'Fail' });
    gone();
    await expect(paint('blue')).rejects.toThrow('failed calling webhook "configmaps.webhook.reroll.dev"');
  });
});
