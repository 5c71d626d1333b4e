import { describe, expect, it } from '@jest/globals';
import { channelPaths } from '../../shared/domain/protocol/channel-names';
import { written } from '../../shared/domain/lint/lint.fixture';
import { everything } from '../../shared/domain/kubernetes/selector';
import { bodyOf, clientWorld, zeroRandom } from '../../shared/kube/client/client.fixture';
import { FakeBody, refusal } from '../../shared/kube/transport/fake-transport';
import { WebhookEngine, type WebhookEngineSettings } from './engine';
import { WebhookMetrics } from '../metrics';
import { bytes, metric, review, secret } from '../admission/review.fixture';

const settings: WebhookEngineSettings = {
  ownNamespace: 'reroll',
  webhookService: 'reroll-webhook',
  channelService: 'reroll-channel',
  reconcilerAddresses: [],
  register: [],
  injectCaFrom: undefined,
  preview: false,
  lint: false,
  quietNamespaces: [],
};

const key = Buffer.alloc(32, 7).toString('base64');
const slice = {
  metadata: { name: 'x', namespace: 'reroll', uid: 'x', resourceVersion: '7' },
  addressType: 'IPv4',
  ports: [{ port: 8444 }],
  endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true } }],
};

function watchOfOne(): FakeBody {
  const body = new FakeBody();
  body.line({ type: 'ADDED', object: slice });
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  body.line({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '7', annotations } } });
  return body;
}

/** An engine with one reconciler. Its API server has a key while `up` is true. */
function world(changed: Partial<WebhookEngineSettings> = {}, up: () => boolean = () => true) {
  const { client, clock, logger, transport } = clientWorld(({ path }) => {
    if (!up()) return refusal(503, 'ServiceUnavailable');
    if (path.includes('endpointslices')) return { body: watchOfOne() };
    return { body: { metadata: { name: 'n', uid: 'u', resourceVersion: '1' }, data: { key } } };
  });
  const metrics = new WebhookMetrics();
  const posts: string[] = [];
  const engine = new WebhookEngine(
    {
      ...{ client, clock, logger, metrics, random: zeroRandom },
      transport: {
        post: async (address, path) => {
          posts.push(path === channelPaths.changes ? address : `${address}${path}`);
          return { status: 202 };
        },
      },
    },
    { ...settings, ...changed },
  );
  const call = (changedRequest: Readonly<Record<string, unknown>> = {}): number | undefined => {
    let status: number | undefined;
    const exchange = engine.handler.begin({ path: 'validate', answer: (answer) => (status = answer.status) });
    exchange.push(bytes(review(changedRequest)));
    exchange.end();
    return status;
  };
  return { engine, clock, metrics, posts, call, requests: transport.requests };
}

describe('WebhookEngine', () => {
  it.each<[string, Partial<WebhookEngineSettings>, readonly string[]]>([
    ['asks the reconcilers for a preview', { preview: true }, ['a:1/v1/preview', 'a:1']],
    ['sends no query with preview off', { preview: false }, ['a:1']],
    ['sends no query for writes in a quiet namespace', { preview: true, quietNamespaces: ['shop'] }, ['a:1']],
  ])('%s', async (_what, changed, expected) => {
    const { engine, clock, call, posts } = world({ ...changed, reconcilerAddresses: ['a:1'] });
    engine.start();
    await clock.settle();
    call();
    await clock.advance(300);
    expect(posts).toEqual(expected);
    await engine.stop();
  });

  it.each<[string, Partial<WebhookEngineSettings>, readonly string[]]>([
    ['asks the reconcilers to lint a workload', { lint: true }, ['a:1/v1/lint']],
    ['sends no lint query with lint off', { lint: false, preview: true }, []],
    ['sends no lint query in a quiet namespace', { lint: true, quietNamespaces: ['shop'] }, []],
  ])('%s', async (_what, changed, expected) => {
    const { engine, clock, call, posts } = world({ ...changed, reconcilerAddresses: ['a:1'] });
    engine.start();
    await clock.settle();
    const { object, kind, group } = written({ metadata: { 'reloader.stakater.com/atuo': 'true' } });
    expect(call({ kind: { group, version: 'v1', kind }, object })).toBe(expected.length > 0 ? undefined : 200);
    await clock.advance(300);
    expect(posts).toEqual(expected);
    await engine.stop();
  });

  it.each<[Partial<WebhookEngineSettings>, boolean]>([
    [{ lint: true }, true],
    [{ lint: false }, false],
    [{ lint: true, quietNamespaces: ['shop'] }, false],
  ])('warns about annotations of a source, with %j: %s', async (changed, warns) => {
    const { engine, clock } = world({ ...changed, reconcilerAddresses: ['a:1'] });
    engine.start();
    await clock.settle();
    let body = '';
    const exchange = engine.handler.begin({ path: 'validate', answer: (answer) => (body = answer.body.toString()) });
    const annotations = { 'reroll.dev/hold': 'tomorrow' };
    exchange.push(bytes(review({ object: secret({ password: 'new' }, { annotations }) })));
    exchange.end();
    await clock.advance(300);
    expect(body.includes('is not a hold that Reroll can read')).toBe(warns);
    await engine.stop();
  });

  it('sends changes to the endpoints of the Service', async () => {
    const { engine, clock, call, posts } = world();
    engine.start();
    await clock.settle();
    expect(call()).toBe(200);
    await clock.advance(20);
    expect(posts).toEqual(['10.0.0.1:8444']);
    await engine.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('sends to fixed addresses without discovery', async () => {
    const { engine, clock, call, posts, requests } = world({ reconcilerAddresses: ['a:1', 'b:2'] });
    engine.start();
    await clock.settle();
    call();
    await clock.advance(20);
    expect(posts).toEqual(['a:1', 'b:2']);
    expect(requests.filter(({ path }) => path.includes('endpointslices'))).toEqual([]);
    await engine.stop();
  });

  it('answers at once without API server and reconciler, and reports changes once they are up', async () => {
    let up = false;
    const { engine, clock, call, posts, metrics } = world({}, () => up);
    engine.start();
    await clock.advance(5_000);
    const beforeMs = clock.monotonicMs();
    expect(call()).toBe(200);
    expect(clock.monotonicMs()).toBe(beforeMs);
    await clock.advance(0);
    expect(await metric(metrics, 'reroll_webhook_records_total{result="dropped"}')).toBe(1);
    up = true;
    await clock.advance(60_000);
    await clock.settle();
    call({ object: secret({ password: 'newer' }) });
    await clock.advance(20);
    expect(posts).toEqual(['10.0.0.1:8444']);
    const stopped = engine.stop();
    await clock.advance(2_000);
    await stopped;
  });

  it('registers the configured hooks', async () => {
    const { engine, clock, requests } = world({ register: ['mutating'] });
    engine.start();
    await clock.settle();
    const applied = requests.filter(({ method }) => method === 'PATCH').map(({ path }) => path.split('?')[0]);
    expect(applied).toEqual(['/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/reroll']);
    await engine.stop();
  });

  it('registers only for what is selected', async () => {
    const selection = {
      ...{ namespaces: ['shop'], namespacesToIgnore: [], namespaceSelector: everything, sourceSelector: everything },
      ignoredSourceKinds: ['Secret'] as const,
    };
    const { engine, clock, requests } = world({ register: ['mutating'], selection });
    engine.start();
    await clock.settle();
    const [applied] = requests.filter(({ method }) => method === 'PATCH').map(bodyOf);
    const { webhooks } = applied as { readonly webhooks: readonly { readonly name: string }[] };
    expect(webhooks.map(({ name }) => name)).toContain('configmaps.webhook.reroll.dev');
    expect(webhooks.map(({ name }) => name)).not.toContain('secrets.webhook.reroll.dev');
    expect(JSON.stringify(applied)).toContain('"values":["shop"]');
    await engine.stop();
  });
});
