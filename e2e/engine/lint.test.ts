import { beforeEach, describe, expect, it } from '@jest/globals';
import { channelAnswers } from '../../reconciler/channel/answers';
import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import { KubeClient } from '../../shared/kube/client/client';
import { staticCredentials } from '../../shared/kube/access/credentials';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import type { ChannelAnswer } from '../../webhook/channel/channel-transport';
import { WebhookEngine } from '../../webhook/process/engine';
import { WebhookMetrics } from '../../webhook/metrics';
import { reviewBody } from '../apiserver/admission-review';
import { configMap, deployment } from '../apiserver/cluster';
import { inProcessTransport } from '../apiserver/in-process-transport';
import { ownNamespace } from '../engine-settings';
import { Harness, type Engine } from './harness';

const reload = 'configmap.reloader.stakater.com/reload';
const noApp = `Deployment default/web: annotation ${reload}="app" matches no ConfigMap in default now; check the name, or create it`;
const listsApp = { [reload]: 'app' };

let harness: Harness;
let engine: Engine;
let webhook: WebhookEngine;
/** Lag of the ConfigMap watch. */
let watchLagMs: number;
/** Turns the reconciler's answer into the one that the webhook receives. */
let answered: (answer: ChannelAnswer) => Promise<ChannelAnswer>;

beforeEach(async () => {
  harness = new Harness();
  const { clock, random } = harness;
  const logger = new RecordingLogger();
  const transport = inProcessTransport(harness.server, 'webhook', harness.faults);
  const credentials = staticCredentials({});
  const client = new KubeClient({ transport, clock, logger, credentials, userAgent: 'w' });
  webhook = new WebhookEngine(
    {
      ...{ client, clock, random, logger },
      metrics: new WebhookMetrics(),
      transport: {
        post: async (_address, _path, body) => {
          const { status, body: answer } = await channelAnswers['/v1/lint'](body, engine.reconciler);
          return await answered({ status, body: Buffer.from(JSON.stringify(answer)) });
        },
      },
    },
    {
      ...{ ownNamespace, webhookService: 'reroll-webhook', channelService: 'reroll-channel' },
      ...{ reconcilerAddresses: ['10.0.0.1:0'], register: [], injectCaFrom: undefined },
      ...{ preview: false, lint: true, quietNamespaces: [] },
    },
  );
  watchLagMs = 0;
  answered = async (answer) => await Promise.resolve(answer);
  harness.faults.add({
    match: ({ pathname, isWatch }) => isWatch && pathname.endsWith('/configmaps'),
    fault: { kind: 'lag', lagMs: () => watchLagMs },
  });
  engine = await harness.start();
});

/** The warnings for a create of Deployment `web`. Asserts that the answer takes less than 500 ms. */
async function told(annotations: Readonly<Record<string, string>>): Promise<readonly string[] | undefined> {
  const { clock } = harness;
  const beganMs = clock.monotonicMs();
  const response = new Promise<{ readonly allowed: boolean; readonly warnings?: readonly string[] }>((resolve) => {
    const exchange = webhook.handler.begin({
      path: 'validate',
      answer: ({ body }) => {
        expect(clock.monotonicMs() - beganMs).toBeLessThan(500);
        resolve((JSON.parse(body.toString('utf8')) as { response: { allowed: boolean } }).response);
      },
    });
    exchange.push(
      reviewBody({
        ...{ uid: 'review-1', operation: 'CREATE', name: 'web', namespace: 'default', userInfo: { username: 'alice' } },
        kind: { group: 'apps', version: 'v1', kind: 'Deployment' },
        ...{ object: deployment({ name: 'web', annotations }), oldObject: null },
      }),
    );
    exchange.end();
  });
  await clock.advance(1_000);
  const { allowed, warnings } = await response;
  expect(allowed).toBe(true);
  return warnings;
}

describe('a user who creates a workload', () => {
  it('is warned about a name that matches nothing now', async () => {
    expect(await told(listsApp)).toEqual([noApp]);
    harness.seed(configMap({ name: 'app', data: {} }));
    await harness.clock.advance(1_000);
    expect(await told(listsApp)).toBeUndefined();
  });

  it.each([
    [0, undefined],
    [100, undefined],
    // The leader answers from its watch, which has not shown the ConfigMap yet.
    [5_000, [noApp]],
  ])(
    'is not warned about a source created just before, unless the watch is too far behind: %d ms',
    async (lagMs, expected) => {
      watchLagMs = lagMs;
      harness.seed(configMap({ name: 'app', data: {} }));
      expect(await told(listsApp)).toEqual(expected);
    },
  );

  it('is warned according to the flags of the reconciler', async () => {
    await engine.stop();
    const annotationKeys = { ...defaultAnnotationKeys, auto: 'example.com/restart' };
    engine = await harness.start({ annotationKeys, namespacesToIgnore: ['default'], identity: 'reroll-1' });
    expect(await told({ 'reloader.stakater.com/auto': 'true', 'example.com/restart': 'true' })).toEqual([
      'Deployment default/web: annotation example.com/restart="true" has no effect: --namespaces-to-ignore names default; take it out there',
      expect.stringContaining('annotation example.com/restart="true" has no effect: the pod template uses no '),
    ]);
  });
});

describe('no warning is given, and the write is allowed, if the reconciler', () => {
  it.each<[string, typeof answered]>([
    ['does not answer', async () => await new Promise(() => undefined)],
    ['cannot be reached', async () => await Promise.reject(new Error('connect ECONNREFUSED'))],
    ['does not lead', async () => await Promise.resolve({ status: 503, body: Buffer.from('{"error":"no"}') })],
    ['is older and does not know the question', async () => await Promise.resolve({ status: 404 })],
    ['is newer', async () => await Promise.resolve({ status: 200, body: Buffer.from('{"v":2,"findings":[]}') })],
    [
      'answers with something that is not JSON',
      async () => await Promise.resolve({ status: 200, body: Buffer.from('<html>') }),
    ],
    [
      'answers with JSON that is not an answer',
      async () => await Promise.resolve({ status: 200, body: Buffer.from('[1]') }),
    ],
  ])('%s', async (_what, says) => {
    answered = says;
    expect(await told(listsApp)).toBeUndefined();
  });

  it('is stopped', async () => {
    await engine.stop();
    expect(await told(listsApp)).toBeUndefined();
  });
});
