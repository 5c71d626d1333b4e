import { describe, expect, it } from '@jest/globals';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { budgets } from '../domain/budgets';
import { zeroRandom } from '../kube/client/client.fixture';
import { PostError, tryTimeoutMs, type PostAnswer } from '../outbound/post-transport';
import { FakePostTransport, hang, ok } from '../outbound/post.fixture';
import { FakeClock } from '../runtime/fake-clock';
import { RecordingLogger } from '../runtime/log/recording-logger';
import { MetricRegistry } from '../runtime/metric-registry';
import { batchAfterMs, maxBatchSpans, SpanExporter } from './span-exporter';
import { SpanMetrics } from './span-metrics';
import { spanOf } from './span.fixture';

function world(answer?: (index: number) => PostAnswer | Promise<PostAnswer>) {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const transport = new FakePostTransport(answer);
  const registry = new MetricRegistry();
  const metrics = new SpanMetrics(registry);
  const resource = resourceFromAttributes({});
  const exporter = new SpanExporter({ transport, resource, clock, random: zeroRandom, logger, metrics });
  const add = (count: number, namespace = 'shop', attributes = {}): void => {
    for (let n = 0; n < count; n++) exporter.add(spanOf({ name: `${namespace}-${n}`, attributes }), namespace);
  };
  /** The names of the spans of each request. */
  const sent = (): readonly (readonly string[])[] =>
    transport.texts.map((text) => [...text.matchAll(/"name":"(\w+-\d+)"/g)].map(([, name]) => name!));
  /** Spans by result, without zeros. */
  const counted = async (): Promise<Record<string, number>> => {
    const series = await registry.series('reroll_trace_spans_total');
    return Object.fromEntries(
      series.flatMap(({ labels, value }) => (value > 0 ? [[String(labels['result']), value] as const] : [])),
    );
  };
  const said = (): readonly string[] => logger.lines.map(({ level, message }) => `${level}: ${message}`);
  return { clock, transport, exporter, add, sent, counted, said };
}

const status = (code: number, retryAfterMs?: number) => (): PostAnswer => ({ status: code, retryAfterMs });
const lost = expect.stringMatching(/^warn: traces are lost, restarts go on: see --otlp-endpoint/);

describe('spans', () => {
  it('are sent together, five seconds after the first', async () => {
    const { clock, add, sent, counted } = world();
    add(2);
    await clock.advance(batchAfterMs - 1);
    expect(sent()).toEqual([]);
    add(1, 'pay');
    await clock.advance(1);
    expect(sent()).toEqual([['shop-0', 'shop-1', 'pay-0']]);
    expect(await counted()).toEqual({ sent: 3 });
  });

  it('need no timer while there are none', async () => {
    const { clock, add } = world();
    expect(clock.pendingTimers).toBe(0);
    add(1);
    await clock.advance(batchAfterMs);
    expect(clock.pendingTimers).toBe(0);
  });

  it('are sent at once when a batch is full, and those after it later', async () => {
    const { clock, add, sent } = world();
    add(maxBatchSpans + 1);
    await clock.settle();
    expect(sent().map(({ length }) => length)).toEqual([maxBatchSpans]);
    await clock.advance(batchAfterMs);
    expect(sent().map(({ length }) => length)).toEqual([maxBatchSpans, 1]);
  });

  it('with long texts make smaller batches', async () => {
    const { clock, add, transport } = world();
    add(200, 'shop', { 'reroll.keys': Array.from({ length: 20 }, () => 'k'.repeat(250)) });
    await clock.advance(60_000);
    expect(transport.posts.length).toBeGreaterThan(2);
    expect(Math.max(...transport.posts.map(({ body }) => body.length))).toBeLessThan(2 * 1024 * 1024);
  });

  it('are JSON', async () => {
    const { clock, add, transport } = world();
    add(1);
    await clock.advance(batchAfterMs);
    expect(transport.posts[0]?.contentType).toBe('application/json');
  });
});

describe('an endpoint', () => {
  it.each([429, 502, 503, 504])('that answers %i is tried again', async (code) => {
    const { clock, add, sent, counted, said } = world((index) => (index === 0 ? status(code)() : ok));
    add(1);
    await clock.advance(60_000);
    expect(sent()).toEqual([['shop-0'], ['shop-0']]);
    expect([await counted(), said()]).toEqual([{ sent: 1 }, []]);
  });

  it.each([307, 400, 401, 404, 408, 500, 501])('that answers %i is not: OTLP forbids it', async (code) => {
    const { clock, add, sent, counted, said } = world(status(code));
    add(1);
    await clock.advance(60_000);
    expect(sent()).toEqual([['shop-0']]);
    expect([await counted(), said()]).toEqual([{ refused: 1 }, [lost]]);
  });

  it('is left alone as long as it asks for', async () => {
    const { clock, add, sent } = world((index) => (index === 0 ? status(503, 20_000)() : ok));
    add(1);
    await clock.advance(batchAfterMs + 19_999);
    expect(sent()).toHaveLength(1);
    await clock.advance(1);
    expect(sent()).toHaveLength(2);
  });

  it.each<[string, () => PostAnswer | Promise<PostAnswer>]>([
    ['refuses connections', () => Promise.reject(new PostError('no answer (ECONNREFUSED)'))],
    ['is always busy', status(503)],
    ['asks for an hour', status(429, 3_600_000)],
    ['never answers', hang],
  ])('that %s costs the spans, a warning, and no more', async (_what, answer) => {
    const { clock, add, counted, said } = world(answer);
    add(1);
    await clock.advance(10 * tryTimeoutMs);
    add(1);
    await clock.advance(10 * tryTimeoutMs);
    expect([await counted(), said()]).toEqual([{ unreachable: 2 }, [lost]]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('that comes back is told of', async () => {
    const { clock, add, said } = world((index) => (index === 0 ? status(404)() : ok));
    for (let n = 0; n < 3; n++) {
      add(1);
      await clock.advance(batchAfterMs);
    }
    expect(said()).toEqual([lost, 'info: traces are received again']);
  });
});

describe('while an endpoint hangs', () => {
  it('the queue is bounded, the oldest spans of a namespace go first, and only its own', async () => {
    const { clock, transport, add, counted } = world(hang);
    add(1, 'first');
    await clock.advance(batchAfterMs);
    add(5, 'pay');
    const flood = 20_000;
    add(flood, 'shop', { 'reroll.source': 'ConfigMap shop/app' });
    const dropped = (await counted())['queue_full']!;
    expect(dropped).toBeGreaterThan(flood / 2);
    expect((flood - dropped) * 500).toBeLessThan(budgets.spanNamespaceBytes);
    transport.answerWith(() => ok);
    await clock.advance(10 * 60_000);
    const sent = transport.texts.join();
    expect(sent.match(/"name":"pay-\d"/g)).toHaveLength(5);
    expect(sent).toContain(`"name":"shop-${flood - 1}"`);
    expect(sent).not.toContain('"name":"shop-0"');
  });
});

describe('stop', () => {
  it('sends what waits, at once', async () => {
    const { clock, exporter, add, sent, counted } = world();
    add(maxBatchSpans + 1);
    add(1, 'pay');
    const stopped = exporter.stop();
    await clock.settle();
    await stopped;
    expect(sent().map(({ length }) => length)).toEqual([maxBatchSpans, 2]);
    expect(await counted()).toEqual({ sent: maxBatchSpans + 2 });
    expect(clock.pendingTimers).toBe(0);
  });

  it.each<[string, () => PostAnswer | Promise<PostAnswer>]>([
    ['never answers', hang],
    ['is busy', status(503, 60_000)],
  ])('takes a second if the endpoint %s, and counts what is lost', async (_what, answer) => {
    const { clock, exporter, add, counted } = world(answer);
    add(3);
    let isStopped = false;
    void exporter.stop().then(() => (isStopped = true));
    await clock.advance(999);
    expect(isStopped).toBe(false);
    await clock.advance(1);
    expect(isStopped).toBe(true);
    add(1);
    expect(await counted()).toEqual({ stopped: 4 });
  });
});
