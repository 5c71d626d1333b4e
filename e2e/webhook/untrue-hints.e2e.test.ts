import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ContractClient } from '../apiserver/contract/contract-client';
import { pollUntil } from '../control-plane/poll';
import type { RerollProcess } from '../reroll-process';
import { App } from './app';
import { expectOneRestart } from './expect-restart';
import { callWebhook, reviewOf } from '../security/webhook-caller';
import { refusePink } from './refused-writes';
import { registeredPath } from './registered-path';
import { metricsOf, namespace, RerollCluster } from './reroll-cluster';

let cluster: RerollCluster;
let alice: ContractClient;
let reconciler: RerollProcess;
let webhook: RerollProcess;

beforeAll(async () => {
  cluster = await RerollCluster.start(['mutating']);
  alice = await cluster.editor('alice');
  await refusePink(cluster, alice);
  [reconciler, webhook] = await Promise.all([cluster.reconciler(), cluster.webhook()]);
});

afterAll(async () => await cluster.stop());

/** Sends a review like the API server's, as somebody who has obtained the token. Resolves with the answer. */
async function forgeReview({ name }: App): Promise<string> {
  const { body } = await cluster.admin.get(`/api/v1/namespaces/${namespace}/configmaps/${name}`);
  const object = { ...body, metadata: { namespace, name }, data: { color: 'black' } };
  const review = reviewOf({
    kind: { group: '', version: 'v1', kind: 'ConfigMap' },
    operation: 'UPDATE',
    object,
    oldObject: body,
  });
  const { text } = await callWebhook(cluster.webhookPort, await registeredPath(cluster, 'mutating'), review);
  return text;
}

async function phantoms(): Promise<number> {
  return (await metricsOf(reconciler)).sum('reroll_hints_total', { result: 'phantom' });
}

it('a change that is refused after the webhook, and one that somebody made up, restart nothing', async () => {
  const [refused, forged] = [await App.create(cluster, 'refused'), await App.create(cluster, 'forged')];
  const before = await metricsOf(webhook);
  await refused.restartsNever(async () => {
    await forged.restartsNever(async () => {
      expect((await refused.paint(alice, 'pink')).status).toBe(422);
      expect(await forgeReview(forged)).toContain('"allowed":true');
      await pollUntil('both hints to be phantoms', async () => ((await phantoms()) === 2 ? true : undefined), {
        timeoutMs: 90_000,
      });
    });
  });
  const sent = { result: 'sent' };
  const records = (await metricsOf(webhook)).sum('reroll_webhook_records_total', sent);
  expect(records - before.sum('reroll_webhook_records_total', sent)).toBe(2);
  await expectOneRestart(refused, { alice, reconciler, path: 'both' });
  await expectOneRestart(forged, { alice, reconciler, path: 'both' });
});
