import { describe, expect, it } from '@jest/globals';
import type { Reply } from '../transport/fake-transport';
import { FakeBody, noAnswer, refusal } from '../transport/fake-transport';
import type { World } from './reflector.fixture';
import { isWatch, listOf, pagedWorld, queryOf, thing, world } from './reflector.fixture';

/** A server that answers watches with `watches`, one after the other, and later ones with silent bodies. */
function serverOf(watches: readonly (FakeBody | Reply)[], list: Reply = listOf('10', [thing('a', '5')])): World {
  return pagedWorld({
    list: () => list,
    watch: (_request, index) => {
      const next = watches[index];
      return next instanceof FakeBody ? { body: next } : (next ?? { body: new FakeBody() });
    },
  });
}

const gone = refusal(410, 'Expired', 'too old resource version');

describe('a watch that ends is reopened', () => {
  it('resumes from the last version after a connection reset', async () => {
    const first = new FakeBody();
    const { reflector, clock, watches, lists, reconnects } = serverOf([first]);
    reflector.start();
    await clock.settle();
    first.line({ type: 'MODIFIED', object: thing('a', '11') });
    await clock.settle();
    first.reset();
    await clock.advance(1_000);
    expect(lists).toHaveLength(1);
    expect(watches.map((watch) => queryOf(watch).get('resourceVersion'))).toEqual([null, '10', '11']);
    expect(reconnects).toEqual(['connection']);
    expect(reflector.status).toMatchObject({ state: 'watching', begun: true });
    await reflector.stop();
  });

  it('reconnects at once when the server ends a healthy watch', async () => {
    const first = new FakeBody();
    const { reflector, clock, watches } = serverOf([first]);
    reflector.start();
    await clock.advance(10_000);
    first.end();
    await clock.settle();
    expect(watches).toHaveLength(3);
    await reflector.stop();
  });

  it('backs off when watches end immediately', async () => {
    const { reflector, clock, watches } = pagedWorld({
      list: () => listOf('10', []),
      watch: () => ({ body: FakeBody.of() }),
    });
    reflector.start();
    await clock.advance(60_000);
    // On average one reconnect every 15 s once the ceiling of 30 s is reached, after a quick start.
    expect(watches.length).toBeGreaterThan(5);
    expect(watches.length).toBeLessThan(14);
    await reflector.stop();
  });

  it('resets its backoff only after a healthy watch', async () => {
    const bodies = Array.from({ length: 12 }, () => new FakeBody());
    const { reflector, clock, watches } = serverOf(bodies);
    reflector.start();
    await clock.settle();
    for (const body of bodies.slice(0, 8)) {
      body.reset();
      await clock.advance(30_000);
      await clock.settle();
    }
    // Each watch stayed open for longer than 10 s, so the last reset waits only for the shortest backoff.
    expect(watches).toHaveLength(10);
    bodies[8]?.reset();
    await clock.advance(1_000);
    expect(watches).toHaveLength(11);
    await reflector.stop();
  });

  it('waits for the Retry-After of a 429', async () => {
    const { reflector, clock, watches, lists } = serverOf([
      refusal(429, 'TooManyRequests', 'slow down', { 'retry-after': '7' }),
    ]);
    reflector.start();
    await clock.advance(6_900);
    expect(watches).toHaveLength(2);
    await clock.advance(2_000);
    expect(watches).toHaveLength(3);
    expect(lists).toHaveLength(1);
    expect(reflector.status.state).toBe('watching');
    await reflector.stop();
  });

  it.each([500, 502, 503])('keeps its version after a %d', async (status) => {
    const { reflector, clock, watches, lists } = serverOf([{ status, body: 'no' }]);
    reflector.start();
    await clock.advance(2_000);
    expect(watches).toHaveLength(3);
    expect(lists).toHaveLength(1);
    await reflector.stop();
  });

  it('survives a 503 on the list', async () => {
    const { reflector, clock, lists, sink } = pagedWorld({
      list: (_request, index) => (index < 3 ? { status: 503, body: 'starting' } : listOf('10', [thing('a', '5')])),
      watch: () => ({ body: new FakeBody() }),
    });
    reflector.start();
    await clock.settle();
    expect(reflector.status).toMatchObject({ synced: false, state: 'backing-off', lastError: { status: 503 } });
    await clock.advance(20_000);
    expect(lists).toHaveLength(4);
    expect(sink.calls).toEqual(['list shop/a=5', 'synced']);
    expect(reflector.status.lastError).toBeUndefined();
    await reflector.stop();
  });

  it.each([
    ['as an answer', gone],
    ['as an event', { body: FakeBody.of(Buffer.from(`{"type":"ERROR","object":${JSON.stringify(gone.body)}}\n`)) }],
  ])('lists again after a 410 %s', async (_how, reply) => {
    const { reflector, clock, lists, reconnects } = serverOf([reply]);
    reflector.start();
    await clock.advance(2_000);
    expect(lists).toHaveLength(2);
    expect(reconnects).toEqual(['expired']);
    await reflector.stop();
  });

  it('backs off after repeated 410s', async () => {
    const { reflector, clock, lists } = pagedWorld({ list: () => listOf('10', []), watch: () => gone });
    reflector.start();
    await clock.advance(8_000);
    expect(lists.length).toBeLessThanOrEqual(5);
    await clock.advance(120_000);
    expect(lists.length).toBeLessThanOrEqual(16);
    expect(lists.length).toBeGreaterThan(6);
    await reflector.stop();
  });

  it('lists again after any other ERROR event except throttling', async () => {
    const error = (code: number): FakeBody => {
      const body = new FakeBody();
      body.line({ type: 'ERROR', object: { kind: 'Status', code, reason: 'InternalError', message: 'etcd' } });
      return body;
    };
    const { reflector, clock, lists } = serverOf([error(429), error(500)]);
    reflector.start();
    await clock.advance(1_000);
    expect(lists).toHaveLength(1);
    await clock.advance(3_000);
    expect(lists).toHaveLength(2);
    await reflector.stop();
  });

  it('refreshes credentials once on a 401, and goes on', async () => {
    const { reflector, clock, refreshes, watches } = serverOf([refusal(401, 'Unauthorized')]);
    reflector.start();
    await clock.settle();
    expect(refreshes()).toBe(1);
    expect(watches.at(-1)?.headers['authorization']).toBe('Bearer 1');
    expect(reflector.status.state).toBe('watching');
    await reflector.stop();
  });

  it.each([
    [403, 'Forbidden', /grant .* "watch" on resource "configmaps" in apiGroup ""/],
    [404, 'NotFound', /watch configmaps: 404/],
  ])('retries quickly a few times after a %d, then slowly, and logs it once', async (status, reason, message) => {
    const { reflector, clock, watches, logger } = pagedWorld({
      list: () => listOf('10', []),
      watch: () => refusal(status, reason),
    });
    reflector.start();
    await clock.advance(40_000);
    const soon = watches.length;
    expect(soon).toBeGreaterThanOrEqual(5);
    await clock.advance(300_000);
    expect(watches.length - soon).toBeGreaterThanOrEqual(5);
    expect(watches.length - soon).toBeLessThanOrEqual(11);
    const warnings = logger.lines.filter((line) => line.level === 'warn');
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.fields['error']).toMatch(message);
    await reflector.stop();
  });

  it('recovers quickly from a starting server that refuses everything, even after a long outage', async () => {
    const timesMs: number[] = [];
    const { reflector, clock } = pagedWorld({
      list: () => listOf('10', []),
      watch: (_request, index) => {
        timesMs.push(clock.monotonicMs());
        if (index < 20) return refusal(503, 'ServiceUnavailable');
        return index < 22 ? refusal(403, 'Forbidden') : { body: new FakeBody() };
      },
    });
    reflector.start();
    await clock.advance(900_000);
    expect(timesMs.length).toBeGreaterThan(22);
    expect(timesMs[22]! - timesMs[20]!).toBeLessThanOrEqual(1_000 + 2_000);
    await reflector.stop();
  });

  it.each([
    ['streams lists', world],
    ['pages lists', undefined],
  ])('lists repeatedly while only the watch is refused, and then watches; %s', async (_name, streaming) => {
    let granted = false;
    let stored = listOf('10', [thing('a', '5')]);
    const server = {
      list: () => stored,
      watch: () => (granted ? { body: new FakeBody() } : refusal(403, 'Forbidden')),
    };
    const { reflector, clock, sink, watches, logger } = streaming
      ? streaming((request) => (isWatch(request) ? server.watch() : server.list()))
      : pagedWorld(server);
    reflector.start();
    await clock.advance(1_000);
    expect([...sink.objects]).toEqual([['shop/a', '5']]);
    expect(reflector.status).toMatchObject({ synced: true, lastError: { status: 403 } });
    stored = listOf('12', [thing('b', '12')]);
    await clock.advance(60_000);
    expect([...sink.objects]).toEqual([['shop/b', '12']]);
    granted = true;
    await clock.advance(60_000);
    expect(reflector.status.state).toBe('watching');
    expect(queryOf(watches.at(-1)!).get('resourceVersion')).toBe('12');
    const warnings = logger.lines.filter((line) => line.level === 'warn').map(({ message }) => message);
    expect(warnings).toEqual(['watch refused, listing instead until it is allowed']);
    await reflector.stop();
  });

  it('is not synced if both are refused', async () => {
    const { reflector, clock, sink } = world(() => refusal(403, 'Forbidden'));
    reflector.start();
    await clock.advance(300_000);
    expect(sink.calls).toEqual([]);
    expect(reflector.status).toMatchObject({ synced: false, lastError: { status: 403 } });
    await reflector.stop();
  });

  it('reopens the watch after 90 s without a byte, from the last version, without counting a failure', async () => {
    const first = new FakeBody();
    const { reflector, clock, watches, lists, reconnects, logger } = serverOf([first]);
    reflector.start();
    await clock.settle();
    first.line({ type: 'MODIFIED', object: thing('a', '11') });
    await clock.advance(89_999);
    expect(watches).toHaveLength(2);
    await clock.advance(1);
    expect(watches).toHaveLength(3);
    expect(first.closed).toBe(true);
    await clock.advance(3_510_000);
    expect(lists).toHaveLength(1);
    expect(watches).toHaveLength(42);
    expect(new Set(watches.slice(2).map((watch) => queryOf(watch).get('resourceVersion')))).toEqual(new Set(['11']));
    expect(new Set(reconnects)).toEqual(new Set(['idle']));
    expect(reflector.status).toMatchObject({ state: 'watching', synced: true });
    expect(reflector.status.lastError).toBeUndefined();
    expect(logger.lines.filter(({ level }) => level === 'warn')).toEqual([]);
    await reflector.stop();
  });

  it.each([
    ['is behind its earlier versions, as after a restore of etcd, and lists', '7', 2, undefined],
    ['is not, and resumes', '11', 1, '11'],
    ['is further, and goes on', '1000', 1, '11'],
  ])(
    'checks once, if a watch after a broken one is silent, whether the server %s',
    async (_what, newest, lists, version) => {
      const first = new FakeBody();
      let isRestored = false;
      const { reflector, clock, transport, sink } = pagedWorld({
        list: () => (isRestored ? listOf(newest, [thing('b', newest)]) : listOf('10', [thing('a', '5')])),
        watch: (_request, index) => ({ body: index === 0 ? first : new FakeBody() }),
      });
      const questions = (): number => transport.requests.filter((each) => queryOf(each).get('limit') === '1').length;
      reflector.start();
      await clock.settle();
      first.line({ type: 'MODIFIED', object: thing('a', '11') });
      await clock.advance(20_000);
      first.reset();
      isRestored = true;
      await clock.advance(95_000);
      const watched = transport.requests.filter((each) => isWatch(each)).at(-1);
      expect(questions()).toBe(1);
      expect(transport.requests.filter((each) => queryOf(each).get('limit') === '500')).toHaveLength(lists);
      expect(queryOf(watched!).get('resourceVersion')).toBe(version ?? newest);
      expect([...sink.objects.keys()]).toEqual([lists === 2 ? 'shop/b' : 'shop/a']);
      await clock.advance(3_600_000);
      expect(questions()).toBe(1);
      await reflector.stop();
    },
  );

  it('checks with the field selector of the watch, because a Role may grant one name alone', async () => {
    const first = new FakeBody();
    const fieldSelector = 'metadata.name=a';
    const { reflector, clock, lists, reconnects, logger } = pagedWorld(
      {
        list: (request) =>
          queryOf(request).get('fieldSelector') === fieldSelector
            ? listOf('10', [thing('a', '5')])
            : refusal(403, 'Forbidden'),
        watch: (_request, index) => ({ body: index === 0 ? first : new FakeBody() }),
      },
      { fieldSelector },
    );
    reflector.start();
    await clock.advance(20_000);
    first.reset();
    await clock.advance(300_000);
    expect(lists.map((list) => queryOf(list).get('limit'))).toEqual(['500', '1']);
    expect(new Set(reconnects)).toEqual(new Set(['connection', 'idle']));
    expect(logger.lines.map(({ message }) => message)).not.toContain(
      'watch refused, listing instead until it is allowed',
    );
    await reflector.stop();
  });

  it('reopens the watch soon after it should have ended, although bookmarks arrive', async () => {
    const first = new FakeBody();
    const { reflector, clock, watches, reconnects } = serverOf([first]);
    reflector.start();
    await clock.settle();
    const endsMs = Number(queryOf(watches[1]!).get('timeoutSeconds')) * 1000;
    for (let ms = 60_000; ms <= endsMs; ms += 60_000) {
      await clock.advance(60_000);
      first.line({ type: 'BOOKMARK', object: { metadata: { resourceVersion: String(ms) } } });
    }
    await clock.advance(endsMs % 60_000);
    expect(watches).toHaveLength(2);
    await clock.advance(6_000);
    expect(watches).toHaveLength(3);
    expect(reconnects).toEqual(['deadline']);
    await reflector.stop();
  });

  it('notices a peer that never answers at all', async () => {
    const { reflector, clock, lists } = pagedWorld({ list: noAnswer, watch: noAnswer });
    reflector.start();
    await clock.advance(32_000);
    expect(lists).toHaveLength(2);
    await reflector.stop();
  });

  it('aborts a list whose bytes stop', async () => {
    const { reflector, clock, lists } = pagedWorld({ list: () => ({ body: new FakeBody() }), watch: noAnswer });
    reflector.start();
    await clock.advance(32_000);
    expect(lists).toHaveLength(2);
    expect(reflector.status.lastError?.message).toMatch(/stopped for 30000 ms/);
    await reflector.stop();
  });

  it('requests a timeout between 300 and 600 s, jittered', async () => {
    const bounds = new Set<number>();
    for (const draw of [0, 0.3, 0.999]) {
      const { reflector, clock, watches } = pagedWorld(
        { list: () => listOf('10', []), watch: () => ({ body: new FakeBody() }) },
        {},
        { float: () => draw, bytes: (length) => Buffer.alloc(length) },
      );
      reflector.start();
      await clock.settle();
      const query = queryOf(watches[1]!);
      expect(query.get('allowWatchBookmarks')).toBe('true');
      bounds.add(Number(query.get('timeoutSeconds')));
      await reflector.stop();
    }
    expect([...bounds]).toEqual([300, 390, 599]);
  });
});

describe('stop', () => {
  it('makes no callback after it was called, although bytes are waiting', async () => {
    const body = new FakeBody();
    const { reflector, clock, sink, watches } = serverOf([body]);
    reflector.start();
    await clock.settle();
    const before = sink.calls.length;
    body.line({ type: 'MODIFIED', object: thing('a', '11') });
    await reflector.stop();
    body.line({ type: 'MODIFIED', object: thing('a', '12') });
    await clock.advance(600_000);
    expect(sink.calls).toHaveLength(before);
    expect(watches).toHaveLength(2);
    expect(body.closed).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('during backoff prevents the next watch', async () => {
    const { reflector, clock, transport } = pagedWorld({ list: () => ({ status: 503 }), watch: noAnswer });
    reflector.start();
    await clock.settle();
    expect(reflector.status.state).toBe('backing-off');
    await reflector.stop();
    const requests = transport.requests.length;
    await clock.advance(120_000);
    expect(transport.requests).toHaveLength(requests);
    expect(reflector.status.state).toBe('stopped');
  });

  it('ends the wait for an answer', async () => {
    const { reflector, clock } = pagedWorld({ list: noAnswer, watch: noAnswer });
    reflector.start();
    await clock.settle();
    await reflector.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('within a callback suppresses the rest of the chunk', async () => {
    const body = new FakeBody();
    const { reflector, clock, sink } = serverOf([body]);
    let stopped: Promise<void> | undefined;
    sink.fails = (call) => {
      if (call === 'watch shop/a=11') stopped = reflector.stop();
      return false;
    };
    reflector.start();
    await clock.settle();
    const lines = ['11', '12', '13'].map((version) =>
      JSON.stringify({ type: 'MODIFIED', object: thing('a', version) }),
    );
    body.push(`${lines.join('\n')}\n`);
    await clock.settle();
    await stopped;
    expect(sink.calls.at(-1)).toBe('watch shop/a=11');
  });

  it('is idempotent, works before a start, and a later start lists again', async () => {
    const { reflector, clock, lists, sink } = serverOf([]);
    await reflector.stop();
    reflector.start();
    reflector.start();
    await clock.settle();
    expect(lists).toHaveLength(1);
    await Promise.all([reflector.stop(), reflector.stop()]);
    reflector.start();
    await clock.settle();
    expect(lists).toHaveLength(2);
    expect(sink.calls.filter((call) => call === 'synced')).toHaveLength(2);
    await reflector.stop();
  });
});
