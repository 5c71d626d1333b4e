import { beforeEach, describe, expect, it } from '@jest/globals';
import { channelAnswers } from '../../reconciler/channel/answers';
import { channelPaths, type ChannelPath } from '../../shared/domain/protocol/channel-names';
import { KubeClient } from '../../shared/kube/client/client';
import { staticCredentials } from '../../shared/kube/access/credentials';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { WebhookEngine } from '../../webhook/process/engine';
import { WebhookMetrics } from '../../webhook/metrics';
import { reviewBody } from '../apiserver/admission-review';
import { configMap, deployment, fromSecret, secret } from '../apiserver/cluster';
import { inProcessTransport } from '../apiserver/in-process-transport';
import type { JsonObject } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import { ownNamespace } from '../engine-settings';
import { Harness, type Engine } from './harness';

type Texts = Readonly<Record<string, string>>;

const auto = { 'reloader.stakater.com/auto': 'true' };
const secretList = 'secret.reloader.stakater.com/reload';
const held = { password: 'hunter2', pin: '4711' };

let harness: Harness;
let engine: Engine;
let webhook: WebhookEngine;

beforeEach(async () => {
  harness = new Harness();
  const { clock, random, server, faults } = harness;
  const logger = new RecordingLogger();
  const credentials = staticCredentials({});
  const transport = inProcessTransport(server, 'webhook', faults);
  const client = new KubeClient({ ...{ transport, clock, logger, credentials }, userAgent: 'w' });
  webhook = new WebhookEngine(
    {
      ...{ client, clock, random, logger, metrics: new WebhookMetrics() },
      transport: { post: async (_address, path, body) => await answered(path, body) },
    },
    {
      ...{ ownNamespace, webhookService: 'reroll-webhook', channelService: 'reroll-channel' },
      ...{ reconcilerAddresses: ['10.0.0.1:0'], register: [], injectCaFrom: undefined },
      ...{ preview: true, lint: true, quietNamespaces: [] },
    },
  );
  harness.seed(
    secret({ name: 'db', data: held }),
    secret({ name: 'tls-bank', data: { key: 'k' } }),
    deployment({ name: 'payments', annotations: auto, envFrom: [fromSecret('db')] }),
  );
  engine = await harness.start();
  webhook.start();
  await clock.advance(5_000);
});

async function answered(path: ChannelPath, body: Buffer): Promise<{ readonly status: number; readonly body: Buffer }> {
  const { status, body: answer } = await channelAnswers[path](body, engine.reconciler);
  return { status, body: Buffer.from(JSON.stringify(answer)) };
}

/** The webhook's answer to a review, with its patch decoded. */
async function asked(path: 'validate' | 'mutate', request: JsonObject): Promise<string> {
  const response = new Promise<string>((resolve) => {
    const exchange = webhook.handler.begin({
      path,
      answer: ({ body }) => {
        const { response: answer } = JSON.parse(body.toString('utf8')) as { response: { patch?: string } };
        const patch = Buffer.from(answer.patch ?? '', 'base64').toString('utf8');
        resolve(JSON.stringify({ ...answer, patch }));
      },
    });
    exchange.push(reviewBody({ uid: 'forged', userInfo: { username: 'anybody' }, namespace: 'default', ...request }));
    exchange.end();
  });
  await harness.clock.advance(1_000);
  return await response;
}

const silence = JSON.stringify({ uid: 'forged', allowed: true, patch: '' });

/** A forged Secret `db`. */
function db(data: Texts, metadata: JsonObject = {}): JsonObject {
  const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')] as const);
  return {
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db', namespace: 'default', ...metadata } },
    data: Object.fromEntries(encoded),
  };
}

async function writes(object: JsonObject, oldObject: JsonObject | null, more: JsonObject = {}): Promise<string> {
  const operation = oldObject === null ? 'CREATE' : 'UPDATE';
  const kind = { group: '', version: 'v1', kind: object['kind'] as string };
  const { name } = object['metadata'] as { readonly name: string };
  return await asked('validate', { ...{ kind, operation, name, object, oldObject }, ...more });
}

async function creates(object: object, more: JsonObject = {}, path: 'validate' | 'mutate' = 'mutate'): Promise<string> {
  const kind = { group: 'apps', version: 'v1', kind: 'Deployment' };
  return await asked(path, {
    ...{ kind, operation: 'CREATE', name: 'forged', object: object as JsonObject, oldObject: null },
    ...more,
  });
}

async function stored(kind: string, name: string): Promise<KubeObject> {
  return await Promise.resolve(
    harness.objects(kind).find(({ metadata }) => metadata.name === name) as unknown as KubeObject,
  );
}

const guesses: readonly Texts[] = [
  { password: 'wrong', pin: '0000' },
  { password: 'hunter2', pin: '0000' },
  { password: 'wrong', pin: '4711' },
  { pin: '4711' },
  held,
];

describe('a user who guesses the content of a Secret', () => {
  it('differs from its author, who knows the content and is told which keys restart a workload', async () => {
    const { uid } = (await stored('Secret', 'db')).metadata;
    expect(await writes(db({ ...held, pin: '1' }, { uid }), db(held, { uid }))).toContain(
      'restarts deployment/payments (key pin)',
    );
  });

  it('learns nothing from a forged CREATE with guesses', async () => {
    for (const guess of guesses) expect(await writes(db(guess), null)).toBe(silence);
  });

  it('learns nothing from a forged UPDATE with a wrong old object', async () => {
    const { uid } = (await stored('Secret', 'db')).metadata;
    for (const guess of guesses) {
      expect(await writes(db(guess, { uid }), db({ password: 'x' }, { uid }))).toBe(silence);
      expect(await writes(db(guess, { uid: 'made-up' }), db(held, { uid: 'made-up' }))).toBe(silence);
      expect(await writes(db(guess), db({}))).toBe(silence);
    }
  });

  it('learns nothing about the content from a forged CREATE after a deletion', async () => {
    await harness.delete('Secret', 'db');
    await harness.clock.advance(5_000);
    for (const guess of guesses) expect(await writes(db(guess), null)).toBe(silence);
    await harness.clock.advance(30 * 60_000);
    for (const guess of guesses) expect(await writes(db(guess), null)).toBe(silence);
  });

  it('gets the same answer about a Secret that does not exist yet, whatever the guess: which workloads wait for it', async () => {
    harness.seed(deployment({ name: 'waiting', annotations: auto, envFrom: [fromSecret('later')] }));
    await harness.clock.advance(5_000);
    const later = (data: Texts) => ({ ...db(data), metadata: { name: 'later', namespace: 'default' } });
    const answers = new Set<string>();
    for (const guess of guesses) answers.add(await writes(later(guess), null));
    expect([...answers]).toEqual([
      expect.stringContaining('deployment/waiting: it was created, and --reload-on-create'),
    ]);
  });

  it('learns nothing about the previous content, even if they know the present one', async () => {
    const { uid } = (await stored('Secret', 'db')).metadata;
    const now = { ...held, pin: '9999' };
    // The settle window is long, so the pods still run with the previous content.
    const annotations = { 'reroll.dev/settle': '10m', 'reroll.dev/settle-max': '10m' };
    await harness.patch('Deployment', 'payments', { metadata: { annotations } });
    await harness.edit('Secret', 'db', { pin: now.pin });
    await harness.clock.advance(200);
    const answers = new Set<string>();
    for (const pin of ['0000', '4711', '4712']) {
      answers.add(await writes(db({ ...held, pin }, { uid }), db(now, { uid })));
    }
    expect([...answers]).toEqual([expect.stringContaining('"restarts deployment/payments"')]);
  });
});

describe('a user who forges a workload', () => {
  const forged = (annotations: Texts) => deployment({ name: 'forged', annotations: { ...auto, ...annotations } });

  it.each(['.*', 'tls-.*', '(db)', 'db,.*', 'd.'])(
    'learns neither names nor digests of Secrets with a pattern: %s',
    async (list) => {
      expect(await creates(forged({ [secretList]: list }))).toBe(silence);
    },
  );

  it('learns nothing about other names from a name', async () => {
    const answer = await creates(forged({ [secretList]: 'db,gone' }));
    expect(answer).toContain('secret/db');
    expect(answer).not.toMatch(/tls-bank|secret\/gone/);
  });

  it('learns nothing with a forged baseline of an existing workload', async () => {
    const { metadata } = await stored('Deployment', 'payments');
    const text = metadata.annotations!['reroll.dev/baseline']!;
    const baseline = JSON.parse(text) as { readonly sources: Texts };
    const kind = { group: 'apps', version: 'v1', kind: 'Deployment' };
    const update = async (given: string, uid: string, list = 'db'): Promise<string> => {
      const made = (image: string): JsonObject => {
        const annotations = { ...auto, [secretList]: list, 'reroll.dev/baseline': given };
        const object = deployment({ name: 'payments', annotations, envFrom: [fromSecret('db')], image });
        return { ...object, metadata: { ...object.metadata, uid } };
      };
      const written = { object: made('web:2'), oldObject: made('web:1') };
      return await asked('mutate', { kind, operation: 'UPDATE', name: 'payments', ...written });
    };
    const other = { ...baseline, sources: { 'secret/db': 'A'.repeat(22) } };
    const more = { ...baseline, sources: { ...baseline.sources, 'secret/tls-bank': 'A'.repeat(22) } };
    for (const made of [{ ...baseline, sources: {} }, other, more]) {
      expect(await update(JSON.stringify(made), metadata.uid)).toBe(silence);
    }
    expect(await update(text, 'made-up')).toBe(silence);
    // Even with the stored baseline, a pattern reveals no name that is not in it.
    expect(await update(text, metadata.uid, '.*')).toBe(silence);
  });
});

describe('a user who forges an object for a content check or a lint', () => {
  const app = (annotations: Texts): JsonObject => ({
    ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'app', namespace: 'default', annotations } },
    data: { 'app.json': '{}' },
  });

  it('learns from a forged schema neither which ConfigMaps exist nor their content', async () => {
    const before = await writes(app({ 'reroll.dev/schema': 'conf' }), null);
    const answer = async (schema: string) =>
      (await writes(app({ 'reroll.dev/schema': schema }), null)).replace(schema, 'conf');
    harness.seed(configMap({ name: 'conf', data: { 'a.json': '{"const": "top", "x": [1,2}' } }));
    for (const schema of ['conf', 'conf/b', 'conf/a.json']) expect(await answer(schema)).toBe(before);
  });

  it('learns nothing from a lint about other namespaces, similar names, or what patterns match', async () => {
    harness.seed(secret({ name: 'shared', namespace: 'bank', data: { a: 'b' } }));
    await harness.clock.advance(5_000);
    const said = async (list: string) =>
      await creates(deployment({ name: 'forged', annotations: { ...auto, [secretList]: list } }), {}, 'validate');
    expect((await said('shared')).replaceAll('shared', 'nowhere')).toBe(await said('nowhere'));
    expect((await said('tls-bink')).replaceAll('tls-bink', 'nowhere')).toBe(await said('nowhere'));
    expect((await said('tls-b.*')).replaceAll('tls-b.*', 'tls-x.*')).toBe(await said('tls-x.*'));
  });
});

describe('a dry run', () => {
  it('is answered like the write itself', async () => {
    const { uid } = (await stored('Secret', 'db')).metadata;
    const [before, after] = [db(held, { uid }), db({ ...held, pin: '1' }, { uid })];
    const workload = deployment({ name: 'forged', annotations: { ...auto, [secretList]: 'db,gone' } });
    const dry = { dryRun: true };
    expect(await writes(after, before, dry)).toBe(await writes(after, before));
    expect(await writes(db(held), null, dry)).toBe(silence);
    expect(await creates(workload, dry)).toBe(await creates(workload));
    expect(await creates(workload, dry, 'validate')).toBe(await creates(workload, {}, 'validate'));
  });
});

describe('a caller with the certificate of the webhook', () => {
  it('is not told why there is no answer', async () => {
    const question = {
      ...{ v: 2, keyId: 'AAAAAAAA', kind: 'Secret', namespace: 'default', name: 'db', labels: {}, switchedOn: [] },
    };
    const object = { metadata: { name: 'payments', annotations: { ...auto, 'reroll.dev/baseline': '{}' } }, spec: {} };
    const workload = { v: 1, group: 'apps', kind: 'Deployment', namespace: 'default', object };
    const unanswered = async () => [
      await answered(channelPaths.preview, Buffer.from(JSON.stringify(question))),
      await answered(channelPaths.marks, Buffer.from(JSON.stringify(workload))),
    ];
    const leading = await unanswered();
    await engine.stop();
    const stopped = await unanswered();
    for (const answer of [...leading, ...stopped]) expect(answer).toEqual(leading[0]);
    expect(leading[0]?.status).toBe(503);
  });
});
