import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { configMap, deployment, fromSecret, secret } from '../apiserver/cluster';
import type { ContractClient } from '../apiserver/contract/contract-client';
import { stringAt } from '../apiserver/json';
import { pollUntil } from '../control-plane/poll';
import type { RerollProcess } from '../reroll-process';
import { App } from '../webhook/app';
import { expectOneRestart } from '../webhook/expect-restart';
import { untilCalled } from '../webhook/probe';
import { metricsOf, namespace, ownNamespace, RerollCluster } from '../webhook/reroll-cluster';
import { callWebhook, reviewOf } from './webhook-caller';

const auto = { 'reloader.stakater.com/auto': 'true' };
const secretKind = { group: '', version: 'v1', kind: 'Secret' };
const stored = { password: 'hunter2', pin: '4711' };
const guesses = [
  { password: 'wrong', pin: '0000' },
  { password: 'hunter2', pin: '0000' },
  { password: 'wrong', pin: '4711' },
  stored,
];
const secretsPath = `/api/v1/namespaces/${namespace}/secrets`;

let cluster: RerollCluster;
let alice: ContractClient;
let webhook: RerollProcess;
let reconciler: RerollProcess;
/** May create and update Secrets, ConfigMaps and Deployments in the namespace, and read nothing. */
let creator: ContractClient;

beforeAll(async () => {
  cluster = await RerollCluster.start(['validating', 'mutating']);
  alice = await cluster.editor('alice');
  await cluster.apply({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'creator', namespace },
    rules: [
      { apiGroups: ['', 'apps'], resources: ['secrets', 'configmaps', 'deployments'], verbs: ['create', 'update'] },
    ],
  });
  creator = await cluster.member('creator', namespace, { kind: 'Role', name: 'creator' });
  [reconciler, webhook] = await Promise.all([cluster.reconciler(), cluster.webhook()]);
  await cluster.apply(
    secret({ name: 'db', namespace, data: stored }),
    secret({ name: 'unlisted-name', namespace, data: { a: 'b' } }),
    configMap({ name: 'conf', namespace, data: { 'a.json': '{"const": "top", "x": [1,2}' } }),
    deployment({ name: 'payments', namespace, annotations: auto, envFrom: [fromSecret('db')] }),
  );
  await pollUntil('a baseline on payments', async () => {
    const { body } = await cluster.admin.get(`/apis/apps/v1/namespaces/${namespace}/deployments/payments`);
    return stringAt(body, 'metadata', 'annotations', 'reroll.dev/baseline');
  });
  await untilCalled(cluster, webhook, ['mutating', 'validating']);
});

afterAll(async () => await cluster.stop());

describe('who reaches the port of the webhook, and has no token', () => {
  const review = reviewOf({ kind: secretKind, operation: 'CREATE', object: secret({ name: 'db', namespace }) });

  it.each([
    '/validate',
    '/mutate',
    '/',
    `/validate/${'0'.repeat(64)}`,
    `/mutate/${'0'.repeat(64)}?timeout=2s`,
    '/validate/',
    '//validate',
    '/healthz',
  ])('gets the same answer at %s', async (path) => {
    const { status, text } = await callWebhook(cluster.webhookPort, path, review);
    expect([status, text]).toEqual([404, 'not found\n']);
  });

  it('cannot name an author of its choice for a change, nor erase the author', async () => {
    const app = await App.create(cluster, 'signed');
    const { body } = await cluster.admin.get(`/api/v1/namespaces/${namespace}/configmaps/signed`);
    const forged = (user: string): object =>
      reviewOf({
        ...{ kind: { ...secretKind, kind: 'ConfigMap' }, operation: 'UPDATE', oldObject: body, user },
        object: { ...body, data: { color: 'blue' } } as unknown as { readonly metadata: object },
      });
    const mallory = Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        await callWebhook(cluster.webhookPort, '/validate', forged(`mallory-${String(index)}`));
      }),
    );
    await expectOneRestart(app, { alice, reconciler, path: 'both' });
    await mallory;
  });
});

it('the token is in the path of each registration, and no account of Reroll but its writer may read that', async () => {
  const paths = await Promise.all(
    ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'].map(async (plural) => {
      const { body } = await cluster.admin.get(`/apis/admissionregistration.k8s.io/v1/${plural}/reroll`);
      const webhooks = body['webhooks'] as unknown as readonly {
        readonly clientConfig: { readonly service: { readonly path?: string } };
      }[];
      return [...new Set(webhooks.map(({ clientConfig }) => clientConfig.service.path))];
    }),
  );
  expect(paths).toEqual([
    [expect.stringMatching(/^\/validate\/[0-9a-f]{64}$/)],
    [expect.stringMatching(/^\/mutate\/[0-9a-f]{64}$/)],
  ]);
  const [token = ''] = paths.flat().map((path) => path?.split('/').at(-1));
  const told = JSON.stringify([webhook.lines, reconciler.lines]) + webhook.stderr + (await metricsOf(webhook)).text;
  expect(told).not.toContain(token);
});

describe('who may create Secrets, and not read them', () => {
  it('learns nothing about an existing Secret from a dry run: each guess gets the same answer', async () => {
    const answers = await Promise.all(
      guesses.map(async (data) => {
        const { status, warnings } = await creator.post(
          `${secretsPath}?dryRun=All`,
          secret({ name: 'db', namespace, data }),
        );
        return { status, warnings };
      }),
    );
    expect(answers).toEqual(guesses.map(() => ({ status: 409, warnings: '' })));
  });

  it('learns nothing about a deleted Secret that baselines still contain', async () => {
    const knownSecrets = async (): Promise<number> =>
      (await metricsOf(reconciler)).sum('reroll_sources', { kind: 'Secret' });
    const before = await knownSecrets();
    expect((await cluster.admin.delete(`${secretsPath}/db`)).status).toBe(200);
    const warned = async (data: Readonly<Record<string, string>>): Promise<string> => {
      const path = `${secretsPath}?dryRun=All`;
      const { status, warnings } = await creator.post(path, secret({ name: 'db', namespace, data }));
      expect(status).toBe(201);
      return warnings;
    };
    try {
      await pollUntil('the deletion to be seen', async () => ((await knownSecrets()) < before ? true : undefined));
      const answers = await Promise.all(guesses.map(warned));
      expect(new Set(answers).size).toBe(1);
    } finally {
      await cluster.apply(secret({ name: 'db', namespace, data: stored }));
    }
  });
});

describe('who may create Deployments, and not list Secrets', () => {
  const template = { name: 'curious', namespace };
  const write = async (
    annotations: Readonly<Record<string, string>>,
  ): Promise<{ baseline: string; warnings: string }> => {
    const { status, body, warnings } = await creator.post(
      `/apis/apps/v1/namespaces/${namespace}/deployments?dryRun=All`,
      deployment({ ...template, annotations: { ...auto, ...annotations } }),
    );
    expect(status).toBe(201);
    return { baseline: stringAt(body, 'metadata', 'annotations', 'reroll.dev/baseline') ?? '', warnings };
  };

  it('is not told the names that a pattern matches', async () => {
    const { baseline, warnings } = await write({ 'secret.reloader.stakater.com/reload': '.*' });
    expect(baseline + warnings).not.toMatch(/unlisted-name|db/);
  });

  it('cannot find out with a pattern whether a name exists', async () => {
    const [one, other] = await Promise.all(
      ['unlisted-.*', 'no-such-name-.*'].map(
        async (pattern) => (await write({ 'secret.reloader.stakater.com/reload': pattern })).warnings,
      ),
    );
    expect(one?.replaceAll('unlisted-.*', '')).toBe(other?.replaceAll('no-such-name-.*', ''));
  });

  it('is not told names that look like the ones in a list', async () => {
    expect((await write({ 'secret.reloader.stakater.com/reload': 'unlisted-nam' })).warnings).not.toContain(
      'unlisted-name',
    );
  });

  it('is not told that another namespace has a Secret', async () => {
    const ask = async (name: string): Promise<string> =>
      (await write({ 'secret.reloader.stakater.com/reload': name })).warnings.replaceAll(name, 'NAME');
    // The first exists in Reroll's own namespace, the second nowhere.
    expect(await ask('reroll-certs')).toBe(await ask('reroll-nowhere'));
  });
});

it('who may create ConfigMaps, and not read them, learns nothing of one by naming it as a schema', async () => {
  const ask = async (schema: string): Promise<string> => {
    const written = configMap({
      ...{ name: 'asking', namespace, annotations: { 'reroll.dev/schema': schema } },
      data: { 'q.json': '{}' },
    });
    const { status, warnings } = await creator.post(`/api/v1/namespaces/${namespace}/configmaps?dryRun=All`, written);
    expect(status).toBe(201);
    const [name = ''] = schema.split('/');
    return warnings.replaceAll(name, 'NAME');
  };
  const answers = await Promise.all(['nope', 'conf'].map(ask));
  expect(answers[0]).toContain('NAME');
  expect(answers[1]).toBe(answers[0]);
  expect(await ask('conf/b')).toBe(await ask('nope/b'));
  expect(await ask('conf/a.json')).toBe(await ask('nope/a.json'));
});

it('a Secret that looks like a journal entry does not become a Job', async () => {
  const job = {
    ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'forged', namespace: 'kube-system', annotations: {} } },
    spec: { template: { spec: { hostPID: true, restartPolicy: 'Never', containers: [{ name: 'c', image: 'evil' }] } } },
  };
  const entry = { uid: 'u1', restartId: 'x', sources: [], because: [], successor: job };
  await cluster.apply({
    ...{ apiVersion: 'v1', kind: 'Secret', type: 'Opaque' },
    metadata: { name: 'reroll-job-aaaaaaaaaaaaaaaa', namespace: ownNamespace, labels: { 'reroll.dev/journal': 'job' } },
    data: { 'recreation.json.gz': gzipSync(JSON.stringify(entry)).toString('base64') },
  });
  await reconciler.end();
  reconciler = await cluster.reconciler();
  const warning = await reconciler.line(
    ({ level, message, ...fields }) =>
      level === 'warn' && `${message} ${JSON.stringify(fields)}`.includes('reroll-job-aaaaaaaaaaaaaaaa'),
  );
  expect(JSON.stringify(warning)).toContain('reroll-job-aaaaaaaaaaaaaaaa');
  // Leaves the time of a whole restart, in which a Job from the entry would have appeared.
  await expectOneRestart(await App.create(cluster, 'after-journal'), { alice, reconciler, path: 'both' });
  const { body } = await cluster.admin.get('/apis/batch/v1/namespaces/kube-system/jobs');
  expect(body['items']).toEqual([]);
  expect(
    (await cluster.admin.get(`/api/v1/namespaces/${ownNamespace}/secrets/reroll-job-aaaaaaaaaaaaaaaa`)).status,
  ).toBe(200);
});
