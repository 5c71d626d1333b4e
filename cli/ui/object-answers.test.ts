import { describe, expect, it } from '@jest/globals';
import { clientWorld } from '../../shared/kube/client/client.fixture';
import { ConnectionError } from '../../shared/kube/errors';
import { clusterThatSays } from './cluster.fixture';
import { ObjectAnswers } from './object-answers';

const limits = { rerollNamespace: 'reroll', timeoutMs: 1_000 };
const path = '/workloads/Deployment/shop/web';
const decided = { decision: 'auto', rule: 'reloader.stakater.com/auto', why: 'nothing changed' };
const account = {
  ...{ v: 1, kind: 'Deployment', namespace: 'shop', name: 'web', tracked: true, state: 'in-step', problems: [] },
  ...{ dryRun: false, deleting: false, restart: 'not-owed', moreSources: 3 },
  sources: [
    {
      kind: 'ConfigMap',
      name: 'app',
      exists: true,
      ...decided,
      keys: ['color'],
      standing: 'unchanged',
      restarts: false,
    },
    {
      ...{ kind: 'Secret', name: 'tls', exists: true, decision: 'excluded', rule: 'x/exclude', why: 'excluded' },
      ...{ keys: 'all', standing: 'not-compared', restarts: false },
    },
  ],
};
const user = { ...decided, kind: 'Deployment', keys: 'all' };
const source = {
  ...{ v: 1, kind: 'ConfigMap', namespace: 'shop', name: 'app', presence: 'present', namespaceSelected: true },
  users: [
    { ...user, name: 'calm', restarts: false },
    { ...user, name: 'web', restarts: true },
  ],
  moreUsers: 2,
};

function answersOf(says: Readonly<Record<string, object>>) {
  const { cluster, asked } = clusterThatSays(says);
  return { answers: new ObjectAnswers({ cluster, limits }), asked };
}

describe('the answer about a workload', () => {
  it('has the first line of reroll why, its sources, and what would let them count', async () => {
    const { answers } = answersOf({ [`/v1${path}`]: account });
    const { status, body } = await answers.answer(path);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      headline: 'does not restart for Secret tls: x/exclude on the workload excludes it',
      isBad: false,
      standing: ['in step', 'no restart so far'],
      answeredBy: 'as the leader reroll-0 says',
      sources: [
        {
          kind: 'ConfigMap',
          name: 'app',
          keys: 'color',
          counts: true,
          by: 'reloader.stakater.com/auto',
          now: 'as the pods run with it',
        },
        {
          kind: 'Secret',
          name: 'tls',
          keys: 'all',
          counts: false,
          by: 'x/exclude',
          how: 'take tls out of x/exclude on the workload',
        },
      ],
      moreSources: 3,
    });
    expect(body).not.toHaveProperty('history');
  });

  it('has its restarts, if the leader remembers them', async () => {
    const entry = {
      ...{ at: '2026-01-01T12:00:00.000Z', id: '3f9c2a71', kind: 'Deployment', namespace: 'shop', name: 'web' },
      ...{ strategy: 'env-vars', causes: [], outcome: 'healthy' },
    };
    const { answers, asked } = answersOf({ [`/v1${path}`]: account, '/v1/history': { v: 1, entries: [entry] } });
    expect((await answers.answer(path)).body).toMatchObject({ history: [entry] });
    expect(asked.at(-1)).toBe('/v1/history?kind=Deployment&namespace=shop&name=web&limit=50');
  });

  it('is about the Deployment that is restarted in the place of a Rollout, says so, and has its restarts', async () => {
    const metadata = { namespace: 'shop', resourceVersion: '1', annotations: { 'reloader.stakater.com/auto': 'true' } };
    const objects: Readonly<Record<string, object>> = {
      '/apis/apps/v1/namespaces/shop/deployments/web': { metadata: { ...metadata, name: 'web', uid: 'd' } },
      '/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts/canary': {
        metadata: { ...metadata, name: 'canary', uid: 'r' },
        spec: { workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
      },
    };
    const { client } = clientWorld(({ path: asked }) => {
      const object = objects[asked];
      return object ? { body: JSON.stringify(object) } : { status: 404, body: '{"reason":"NotFound","code":404}' };
    });
    const says = { [`/v1${path}`]: { ...account, sources: [] }, '/v1/history': { v: 1, entries: [] } };
    const { cluster, asked } = clusterThatSays({
      ...says,
      '/v1/workloads/Rollout/shop/canary': {
        ...{ v: 1, kind: 'Rollout', namespace: 'shop', name: 'canary', tracked: false },
        ...{ because: 'not-opted-in', why: 'it asks for no restarts' },
      },
    });
    const answers = new ObjectAnswers({ cluster: { ...cluster, client }, limits });
    expect((await answers.answer('/workloads/Rollout/shop/canary')).body).toMatchObject({
      headline: expect.stringMatching(/^Deployment web, whose template it takes, does not restart: /),
    });
    expect(asked.at(-1)).toBe('/v1/history?kind=Deployment&namespace=shop&name=web&limit=50');
  });

  it('says that there is none', async () => {
    const { cluster } = clusterThatSays({});
    const answers = new ObjectAnswers({ cluster, limits });
    expect((await answers.answer(path)).body).toMatchObject({
      headline: 'Deployment web does not exist in namespace shop',
      isBad: true,
      sources: [],
      answeredBy: 'only /v1/health is served; this is from what you may read yourself',
    });
  });
});

it('the answer about a source has who restarts first, in the words of reroll users', async () => {
  const { answers } = answersOf({ '/v1/sources/ConfigMap/shop/app': source });
  expect((await answers.answer('/sources/configmap/shop/app')).body).toMatchObject({
    headline:
      'a change of ConfigMap shop/app restarts at least 1 of 4 workloads that ask for restarts and use it: deployment/web',
    users: [
      { name: 'web', restarts: true },
      { name: 'calm', restarts: false },
    ],
    moreUsers: 2,
  });
});

describe('a question that is not answered', () => {
  it.each([
    ['/workloads', 404],
    ['/health', 404],
    ['/nothing', 404],
    ['/workloads/Pod/shop/web', 400],
    ['/workloads/Deployment/shop/..', 400],
    ['/sources/Secret/shop/a%2Fb', 400],
    ['/../v1/health', 404],
  ])('%s is %d', async (wrong, status) => {
    const { answers, asked } = answersOf({});
    expect((await answers.answer(wrong)).status).toBe(status);
    expect(asked).toEqual([]);
  });

  it('says that the API server does not answer', async () => {
    const { cluster } = clusterThatSays({});
    const lost = { ...cluster, ask: async () => await Promise.reject(new ConnectionError('ECONNREFUSED')) };
    const answers = new ObjectAnswers({ cluster: lost, limits });
    expect(await answers.answer(path)).toEqual({
      status: 502,
      body: { message: 'the API server does not answer: ECONNREFUSED' },
    });
  });

  it('is one too many at once, and answered when others are done', async () => {
    const { cluster } = clusterThatSays({ [`/v1${path}`]: account });
    const waiting: (() => void)[] = [];
    const slow = {
      ...cluster,
      ask: async (asked: string) => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        return await cluster.ask(asked);
      },
    };
    const answers = new ObjectAnswers({ cluster: slow, limits });
    const first = Array.from({ length: 6 }, async () => await answers.answer(path));
    expect((await answers.answer(path)).status).toBe(429);
    const done = Promise.all(first);
    const poll = setInterval(() => waiting.splice(0).forEach((resolve) => resolve()), 5);
    expect((await done).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect((await answers.answer(path)).status).toBe(200);
    clearInterval(poll);
  });
});
