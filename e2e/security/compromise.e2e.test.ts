import https from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deployment } from '../apiserver/cluster';
import type { ContractClient } from '../apiserver/contract/contract-client';
import type { JsonObject } from '../apiserver/json';
import { pollUntil } from '../control-plane/poll';
import { codeBlocks, textOf } from '../docs/pages';
import type { RerollProcess } from '../reroll-process';
import { App } from '../webhook/app';
import { expectOneRestart } from '../webhook/expect-restart';
import { untilCalled } from '../webhook/probe';
import { ownNamespace, RerollCluster } from '../webhook/reroll-cluster';
import { callWebhook } from './webhook-caller';

type Data = Readonly<Record<string, string>>;

const parts = textOf('docs/compromise.md').split(/^## /m).slice(1);

let cluster: RerollCluster;
let alice: ContractClient;
let reconciler: RerollProcess;
let webhook: RerollProcess;

beforeAll(async () => {
  cluster = await RerollCluster.start(['validating', 'mutating']);
  alice = await cluster.editor('alice');
  // The processes run on this host. The commands of the page address Deployments, so there are empty ones of these
  // names.
  const names = ['reroll', 'reroll-webhook', 'reroll-certs'];
  await cluster.apply(...names.map((name) => deployment({ name, namespace: ownNamespace, replicas: 0 })));
  [reconciler, webhook] = await Promise.all([cluster.reconciler(), cluster.webhook()]);
  await untilCalled(cluster, webhook, ['validating', 'mutating']);
});

afterAll(async () => await cluster.stop());

async function secretData(name: string): Promise<Data> {
  const { body } = await cluster.admin.get(`/api/v1/namespaces/${ownNamespace}/secrets/${name}`);
  return Object.fromEntries(
    Object.entries((body['data'] ?? {}) as Data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  );
}

/**
 * Runs the commands of a section of the page, line by line. A command that restarts a Deployment restarts the process
 * on this host.
 */
async function followPage(title: string): Promise<void> {
  const part = parts.find((text) => text.startsWith(`${title}\n`));
  const commands = codeBlocks(part ?? '').flatMap(({ text }) => text.trim().split('\n'));
  expect(commands).not.toEqual([]);
  for (const command of commands) {
    // No command quotes a space.
    const [program, ...args] = command.split(' ').map((word) => word.replaceAll("'", ''));
    expect(program).toBe('kubectl');
    await cluster.plane.kubectl(args);
    if (args.includes('restart')) await restart(args.slice(args.indexOf('deployment') + 1));
    // The running `reroll certs` does this within a minute.
    if (args.includes('patch')) await cluster.keepCertificates();
  }
}

async function restart(deployments: readonly string[]): Promise<void> {
  if (deployments.includes('reroll')) {
    await reconciler.end();
    reconciler = await cluster.reconciler();
  }
  if (deployments.includes('reroll-webhook')) {
    await webhook.end();
    webhook = await cluster.webhook();
  }
}

/** Expects that Reroll works again: the webhook is called, and an edit restarts a new app exactly once. */
async function expectWell(name: string): Promise<void> {
  await untilCalled(cluster, webhook, ['validating', 'mutating']);
  await expectOneRestart(await App.create(cluster, name), { alice, reconciler, path: 'both' });
}

/** A sender of change records, with the client certificate that is stored now. */
async function channelSender(): Promise<{ readonly send: () => Promise<number | string>; close(): void }> {
  const { 'client.crt': cert, 'client.key': key, 'ca.crt': ca } = await secretData('reroll-certs');
  const agent = new https.Agent({ cert, key, ca, keepAlive: true, maxSockets: 1 });
  const options = {
    ...{ host: '127.0.0.1', port: cluster.channelPorts[0], path: '/v1/changes', method: 'POST', agent },
    servername: `reroll-channel.${ownNamespace}.svc`,
    headers: { 'content-type': 'application/json' },
  };
  const send = async (): Promise<number | string> =>
    await new Promise((resolve) => {
      const outgoing = https.request(options, (incoming) => {
        incoming.resume().once('end', () => resolve(incoming.statusCode ?? 0));
      });
      outgoing.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      outgoing.end('{"v":1,"batch":"a","records":[]}');
    });
  return { send, close: () => agent.destroy() };
}

it('a certificate or its key: a new CA signs, and the channel refuses the old key', async () => {
  const [ca, certs, sender] = await Promise.all([secretData('reroll-ca'), secretData('reroll-certs'), channelSender()]);
  try {
    expect(await sender.send()).toBe(202);
    await followPage('A certificate or its key');
    for (const [name, before] of [['reroll-ca', ca] as const, ['reroll-certs', certs] as const]) {
      const after = await secretData(name);
      const keys = Object.keys(before).filter((key) => /\.(crt|key)$/.test(key));
      expect(keys).not.toEqual([]);
      expect(keys.filter((key) => after[key] === before[key])).toEqual([]);
    }
    await pollUntil('the channel to close to the old key', async () =>
      typeof (await sender.send()) === 'string' ? true : undefined,
    );
  } finally {
    sender.close();
  }
  await expectWell('after-certificate');
});

it('the token of the webhook: the old one is refused', async () => {
  const path = await registeredPath();
  expect((await callWebhook(cluster.webhookPort, path, {})).status).toBe(400);
  await followPage('The token of the webhook');
  expect(await registeredPath()).not.toBe(path);
  await pollUntil('the old token to be refused', async () =>
    (await callWebhook(cluster.webhookPort, path, {})).status === 404 ? true : undefined,
  );
  await expectWell('after-token');
});

it('the digest key: another one is used, and nothing restarts for it', async () => {
  await App.create(cluster, 'digested');
  const template = async (): Promise<unknown> => {
    const { body } = await cluster.admin.get('/apis/apps/v1/namespaces/shop/deployments/digested');
    return (body['spec'] as JsonObject)['template'];
  };
  const [before, key] = [await template(), await secretData('reroll-digest-key')];
  await followPage('The digest key');
  expect((await secretData('reroll-digest-key'))['key']).not.toBe(key['key']);
  await reconciler.line(({ message }) => message === 'Deployment shop/digested: baseline recorded; nothing restarted');
  expect(await template()).toEqual(before);
  await expectWell('after-digest-key');
});

it('the key of the journal: another one is used', async () => {
  const before = await secretData('reroll-journal-key');
  await followPage('The key of the journal');
  const after = await pollUntil('a new key of the journal', async () => {
    const data = await secretData('reroll-journal-key');
    return data['key'] === undefined ? undefined : data;
  });
  expect(after['key']).not.toBe(before['key']);
});

describe.each([
  ['The webhook', ['reroll-ca', 'reroll-certs', 'reroll-webhook-token', 'reroll-digest-key']],
  ['`reroll certs`', ['reroll-ca', 'reroll-certs', 'reroll-webhook-token']],
  ['The reconciler', ['reroll-ca', 'reroll-certs', 'reroll-webhook-token', 'reroll-digest-key', 'reroll-journal-key']],
] as const)('%s', (title, held) => {
  it('every key that it had is replaced', async () => {
    const before = await Promise.all(held.map(secretData));
    const path = await registeredPath();
    await followPage(title);
    for (const [index, name] of held.entries()) {
      const after = await pollUntil(`${name} to be filled`, async () => {
        const data = await secretData(name);
        return Object.keys(data).length > 0 ? data : undefined;
      });
      expect(Object.entries(after).filter(([key, value]) => before[index]?.[key] === value)).toEqual([]);
    }
    await pollUntil('the old token to be refused', async () =>
      (await callWebhook(cluster.webhookPort, path, {})).status === 404 ? true : undefined,
    );
    await expectWell(`after-${String(held.length)}`);
  });
});

/** The path under which the API server calls the webhook. */
async function registeredPath(): Promise<string> {
  const { body } = await cluster.admin.get(
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/reroll',
  );
  const [webhook] = body['webhooks'] as unknown as readonly {
    readonly clientConfig: { readonly service: { readonly path?: string } };
  }[];
  return webhook?.clientConfig.service.path ?? '';
}
