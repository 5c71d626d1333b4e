import { describe, expect, it } from '@jest/globals';
import { ConnectionError } from '../errors';
import { FakeBody, noAnswer, refusal } from '../transport/fake-transport';
import type { World } from './reflector.fixture';
import {
  asked,
  bookmarkEnd,
  isWatch,
  listedDecoder,
  listOf,
  pagedWorld,
  queryOf,
  thing,
  world,
} from './reflector.fixture';

const openWatch = (): { body: FakeBody } => ({ body: new FakeBody() });

describe('paged list', () => {
  it('reads page by page, then watches from the version of the first', async () => {
    const { reflector, clock, lists, watches, sink } = pagedWorld(
      {
        list: (request) =>
          queryOf(request).get('continue') === 'next'
            ? listOf('10', [thing('b', '6')])
            : listOf('10', [thing('a', '5')], { continue: 'next' }),
        watch: openWatch,
      },
      { pageSize: 1, namespace: 'shop', labelSelector: 'app=web', fieldSelector: 'type=x' },
    );
    reflector.start();
    await clock.settle();
    expect(lists.map((list) => list.path)).toEqual([
      '/api/v1/namespaces/shop/configmaps?labelSelector=app%3Dweb&fieldSelector=type%3Dx&limit=1',
      '/api/v1/namespaces/shop/configmaps?labelSelector=app%3Dweb&fieldSelector=type%3Dx&limit=1&continue=next',
    ]);
    expect(queryOf(watches[1]!).get('resourceVersion')).toBe('10');
    expect(queryOf(watches[1]!).get('labelSelector')).toBe('app=web');
    expect(watches[1]!.pool).toBe('watch');
    expect(lists[0]!.pool).toBe('request');
    expect(sink.calls).toEqual(['list shop/a=5', 'list shop/b=6', 'synced']);
    expect(reflector.status).toMatchObject({ synced: true, state: 'watching' });
    await reflector.stop();
  });

  it('requests 500 objects per page by default', async () => {
    const { reflector, clock, lists } = pagedWorld({ list: () => listOf('1', []), watch: openWatch });
    reflector.start();
    await clock.settle();
    expect(queryOf(lists[0]!).get('limit')).toBe('500');
    await reflector.stop();
  });

  it('delivers nothing more from the chunk during which it was stopped', async () => {
    const { reflector, clock, sink } = pagedWorld({
      list: () => listOf('10', [thing('a', '5'), thing('b', '6')]),
      watch: openWatch,
    });
    let stopped: Promise<void> | undefined;
    sink.fails = () => {
      stopped = reflector.stop();
      return false;
    };
    reflector.start();
    await clock.settle();
    await stopped;
    expect(sink.calls).toEqual(['list shop/a=5']);
  });

  it('falls back to an unpaged list when the continue token expired, discarding the first pages', async () => {
    const { reflector, clock, lists, sink } = pagedWorld({
      list: (request) => {
        const query = queryOf(request);
        if (query.has('continue')) return refusal(410, 'Expired');
        if (query.has('limit')) return listOf('10', [thing('a', '5')], { continue: 'old' });
        return listOf('20', [thing('b', '6')]);
      },
      watch: openWatch,
    });
    reflector.start();
    await clock.settle();
    expect(lists).toHaveLength(3);
    expect(sink.calls).toEqual(['list shop/a=5', 'list shop/b=6', 'remove shop/a', 'synced']);
    await reflector.stop();
  });

  it('fails if the server returns the same continue token twice', async () => {
    const { reflector, clock, lists } = pagedWorld({
      list: () => listOf('10', [], { continue: 'same' }),
      watch: openWatch,
    });
    reflector.start();
    await clock.settle();
    expect(lists).toHaveLength(2);
    expect(reflector.status.lastError?.message).toMatch(/same continue token/);
    await reflector.stop();
  });

  it('removes missing objects only when the new list is complete', async () => {
    const broken = new FakeBody();
    const first = new FakeBody();
    const { reflector, clock, sink } = pagedWorld({
      list: (_request, index) => {
        if (index === 0) return listOf('10', [thing('a', '5'), thing('b', '6')]);
        if (index === 1) return { body: broken };
        return listOf('30', [thing('b', '7')]);
      },
      watch: (_request, index) => (index === 0 ? { body: first } : openWatch()),
    });
    reflector.start();
    await clock.settle();
    first.line({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } });
    broken.push(`{"metadata":{"resourceVersion":"20"},"items":[${JSON.stringify(thing('b', '7'))},`);
    await clock.advance(1_000);
    broken.reset();
    await clock.settle();
    expect([...sink.objects.keys()]).toEqual(['shop/a', 'shop/b']);
    await clock.advance(30_000);
    expect(sink.calls.slice(-3)).toEqual(['list shop/b=7', 'remove shop/a', 'synced']);
    await reflector.stop();
  });
});

describe('watch-list', () => {
  it('reads the whole state from the watch and continues with it', async () => {
    const body = new FakeBody();
    const { reflector, clock, sink, lists, watches } = world(() => ({ body }));
    sink.objects.set('shop/gone', '1');
    reflector.start();
    body.line({ type: 'ADDED', object: thing('a', '99') });
    await clock.settle();
    expect(reflector.status).toMatchObject({ synced: false, state: 'listing' });
    body.line(bookmarkEnd('50'));
    body.line({ type: 'MODIFIED', object: thing('a', '100') });
    await clock.settle();
    expect(sink.calls).toEqual(['list shop/a=99', 'remove shop/gone', 'synced', 'watch shop/a=100']);
    expect(reflector.status).toMatchObject({ synced: true, state: 'watching' });
    expect(lists).toHaveLength(0);
    expect(Object.fromEntries(queryOf(watches[0]!))).toMatchObject({
      watch: 'true',
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: 'true',
    });
    await reflector.stop();
  });

  it('does not watch from the versions of initial events, which are unordered', async () => {
    const first = new FakeBody();
    const { reflector, clock, watches } = world((_request, index) => ({ body: index === 0 ? first : new FakeBody() }));
    reflector.start();
    first.line({ type: 'ADDED', object: thing('a', '99') });
    await clock.settle();
    first.reset();
    await clock.advance(1_000);
    expect(queryOf(watches[1]!).get('resourceVersion')).toBeNull();
    expect(queryOf(watches[1]!).get('sendInitialEvents')).toBe('true');
    await reflector.stop();
  });

  it('waits for slow initial events, and accepts silence after them', async () => {
    const body = new FakeBody();
    const { reflector, clock, watches, lists } = world(() => ({ body }));
    reflector.start();
    for (const [name, version] of Object.entries({ a: '3', b: '2', c: '1' })) {
      await clock.advance(8_000);
      body.line({ type: 'ADDED', object: thing(name, version) });
    }
    await clock.advance(8_000);
    body.line(bookmarkEnd('50'));
    await clock.advance(89_000);
    expect([watches.length, lists.length]).toEqual([1, 0]);
    await reflector.stop();
  });

  it('stays stopped although its end mark was in the current chunk', async () => {
    const body = new FakeBody();
    const { reflector, clock, sink } = world(() => ({ body }));
    let stopped: Promise<void> | undefined;
    sink.fails = () => {
      stopped = reflector.stop();
      return false;
    };
    reflector.start();
    body.push(
      [{ type: 'ADDED', object: thing('a', '1') }, bookmarkEnd('5')]
        .map((event) => `${JSON.stringify(event)}\n`)
        .join(''),
    );
    await clock.settle();
    await stopped;
    expect(sink.calls).toEqual(['list shop/a=1']);
    expect(reflector.status).toMatchObject({ state: 'stopped', synced: false });
  });

  it('is not abandoned because of an ERROR event of a running watch', async () => {
    const first = new FakeBody();
    const { reflector, clock, watches, lists } = world((_request, index) => ({
      body: index === 0 ? first : new FakeBody(),
    }));
    reflector.start();
    first.line(bookmarkEnd('10'));
    first.line({ type: 'ERROR', object: { kind: 'Status', code: 400, reason: 'BadRequest' } });
    await clock.advance(1_000);
    expect(lists).toHaveLength(0);
    expect(queryOf(watches[1]!).get('sendInitialEvents')).toBe('true');
    await reflector.stop();
  });

  it.each([400, 422])('is not retried after a %d', async (status) => {
    const first = new FakeBody();
    const { reflector, clock, watches } = world((request) => {
      if (queryOf(request).has('sendInitialEvents')) return refusal(status, 'Invalid');
      return isWatch(request) ? { body: first } : listOf('10', []);
    });
    reflector.start();
    await clock.settle();
    first.line({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } });
    await clock.advance(5_000);
    expect(watches.filter((watch) => queryOf(watch).has('sendInitialEvents'))).toHaveLength(1);
    await reflector.stop();
  });

  it.each([405, 429, 500, 503, 504])(
    'is replaced by a paged list after each three refusals with %d',
    async (status) => {
      const first = new FakeBody();
      const { reflector, clock, transport, sink } = world((request) => {
        if (!isWatch(request)) return listOf('10', [thing('a', '5')]);
        return queryOf(request).has('sendInitialEvents') ? refusal(status, 'Refused') : { body: first };
      });
      reflector.start();
      await clock.advance(30_000);
      expect(sink.calls).toEqual(['list shop/a=5', 'synced']);
      expect(reflector.status).toMatchObject({ synced: true, state: 'watching' });
      first.line({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } });
      await clock.advance(30_000);
      const refused = ['watch-list whole', 'watch-list whole', 'watch-list whole'];
      const listed = [...refused, 'list whole', 'watch from 10 whole'];
      expect(transport.requests.map(asked).slice(0, 2 * listed.length)).toEqual([...listed, ...listed]);
      await reflector.stop();
    },
  );

  it('is tried again after a paged list was refused too', async () => {
    let isOverloaded = true;
    const { reflector, clock, transport } = world(() => {
      if (isOverloaded) return refusal(503, 'ServiceUnavailable');
      return { body: FakeBody.of(Buffer.from(`${JSON.stringify(bookmarkEnd('10'))}\n`)) };
    });
    reflector.start();
    await clock.advance(15_000);
    const asks = transport.requests.map(asked);
    expect(asks.slice(0, 5)).toEqual([...Array<string>(3).fill('watch-list whole'), 'list whole', 'watch-list whole']);
    isOverloaded = false;
    await clock.advance(60_000);
    expect(reflector.status.synced).toBe(true);
    await reflector.stop();
  });

  it('is not replaced because the server does not answer', async () => {
    const { reflector, clock, lists, watches } = world(() => Promise.reject(new ConnectionError('refused')));
    reflector.start();
    await clock.advance(120_000);
    expect(watches.length).toBeGreaterThan(3);
    expect(lists).toHaveLength(0);
    await reflector.stop();
  });

  it('falls back without an end mark, when the server ignores the parameter', async () => {
    const { reflector, clock, lists, sink } = world((request) => {
      if (!isWatch(request)) return listOf('10', [thing('a', '5')]);
      const body = new FakeBody();
      if (queryOf(request).has('sendInitialEvents')) body.line({ type: 'ADDED', object: thing('a', '5') });
      return { body };
    });
    reflector.start();
    await clock.advance(9_000);
    expect(lists).toHaveLength(0);
    await clock.advance(2_000);
    expect(lists).toHaveLength(1);
    expect(sink.calls.at(-1)).toBe('synced');
    await reflector.stop();
  });

  it('falls back although changes follow each other closely, when the server ignores the parameter', async () => {
    const body = new FakeBody();
    const { reflector, clock, lists, sink } = world((request) => {
      if (!isWatch(request)) return listOf('10', [thing('a', '5')]);
      return { body: queryOf(request).has('sendInitialEvents') ? body : new FakeBody() };
    });
    reflector.start();
    for (const object of [thing('a', '6'), thing('b', '5')]) body.line({ type: 'ADDED', object });
    for (let second = 1; second < 30; second++) {
      await clock.advance(1_000);
      body.line({ type: 'MODIFIED', object: thing('a', String(6 + second)) });
    }
    await clock.advance(999);
    expect(lists).toHaveLength(0);
    await clock.advance(1);
    expect(lists).toHaveLength(1);
    expect(sink.calls.at(-1)).toBe('synced');
    await reflector.stop();
  });

  it('falls back when the stream ends before its end mark', async () => {
    const { reflector, clock, lists } = world((request) => {
      if (!isWatch(request)) return listOf('10', []);
      return { body: queryOf(request).has('sendInitialEvents') ? FakeBody.of() : new FakeBody() };
    });
    reflector.start();
    await clock.settle();
    expect(lists).toHaveLength(1);
    await reflector.stop();
  });

  it('does not mistake a refused watch for a refused watch-list', async () => {
    const { reflector, clock, lists, watches } = world((_request, index) => {
      if (index !== 0) return index === 1 ? refusal(400, 'BadRequest') : openWatch();
      const body = new FakeBody();
      body.line(bookmarkEnd('10'));
      body.end();
      return { body };
    });
    reflector.start();
    await clock.advance(5_000);
    expect(lists).toHaveLength(0);
    expect(queryOf(watches[2]!).get('sendInitialEvents')).toBe('true');
    await reflector.stop();
  });
});

describe('a metadata list', () => {
  const decoder = listedDecoder;

  /** A server that streams lists. Each request gets the next of `bodies`; later requests get silent bodies. */
  function streaming(...bodies: readonly FakeBody[]): World {
    return world((_request, index) => ({ body: bodies[index] ?? new FakeBody() }), { decoder });
  }

  const requestsOf = ({ transport }: World): readonly string[] => transport.requests.map(asked);
  const acceptsOf = ({ transport }: World): readonly (string | undefined)[] =>
    transport.requests.map(({ headers }) => headers['accept']);

  /** A chunk of a stream. */
  const lines = (...events: readonly object[]): string => events.map((event) => `${JSON.stringify(event)}\n`).join('');

  const added = { type: 'ADDED', object: thing('a', '99') };
  const expired = { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } };

  it('is a separate stream up to its end mark, after which whole objects are watched', async () => {
    const [list, watch] = [new FakeBody(), new FakeBody()];
    const built = streaming(list, watch);
    const { reflector, clock, sink } = built;
    sink.objects.set('shop/gone', '1');
    reflector.start();
    list.push(lines(added, bookmarkEnd('50'), { type: 'MODIFIED', object: thing('a', '51') }));
    watch.line({ type: 'MODIFIED', object: thing('a', '51') });
    await clock.settle();
    expect(sink.calls).toEqual(['list shop/a=metadata-only', 'remove shop/gone', 'synced', 'watch shop/a=51']);
    expect(requestsOf(built)).toEqual(['watch-list metadata', 'watch from 50 whole']);
    expect(acceptsOf(built)).toEqual([
      'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1;stream=watch,' +
        'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
      'application/vnd.kubernetes.protobuf;stream=watch,application/json',
    ]);
    expect([list.closed, watch.closed]).toEqual([true, false]);
    expect(reflector.status).toMatchObject({ synced: true, state: 'watching' });
    await reflector.stop();
  });

  it('does not report watching before its watch is open', async () => {
    const list = new FakeBody();
    const { reflector, clock } = world((_request, index) => (index === 0 ? { body: list } : noAnswer()), { decoder });
    reflector.start();
    list.line(bookmarkEnd('50'));
    await clock.settle();
    expect(reflector.status).toMatchObject({ synced: true, begun: false, state: 'listing' });
    await reflector.stop();
  });

  it('lists whole objects, and continues as a watch, if started so', async () => {
    const body = new FakeBody();
    const built = streaming(body);
    const { reflector, clock, sink } = built;
    reflector.start(true);
    body.push(lines(added, bookmarkEnd('50'), { type: 'MODIFIED', object: thing('a', '100') }));
    await clock.settle();
    expect(sink.calls).toEqual(['list shop/a=99', 'synced', 'watch shop/a=100']);
    for (const whole of [undefined, true]) {
      await reflector.stop();
      reflector.start(whole);
      await clock.settle();
    }
    expect(requestsOf(built)).toEqual(['watch-list whole', 'watch-list metadata', 'watch-list whole']);
    await reflector.stop();
  });

  it('is paged if the server does not stream lists', async () => {
    const watch = new FakeBody();
    const built = pagedWorld(
      {
        list: (request) =>
          queryOf(request).has('continue')
            ? listOf('10', [thing('b', '6')])
            : listOf('10', [thing('a', '5')], { continue: 'next' }),
        watch: () => ({ body: watch }),
      },
      { decoder },
    );
    const { reflector, clock, sink } = built;
    reflector.start();
    watch.line({ type: 'MODIFIED', object: thing('a', '11') });
    await clock.settle();
    expect(sink.calls).toEqual(['list shop/a=metadata-only', 'list shop/b=metadata-only', 'synced', 'watch shop/a=11']);
    expect(requestsOf(built)).toEqual(['watch-list metadata', 'list metadata', 'list metadata', 'watch from 10 whole']);
    expect(acceptsOf(built)[1]).toBe(
      'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,' +
        'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
    );
    await reflector.stop();
  });

  it('is paged with whole objects if started so', async () => {
    const built = pagedWorld({ list: () => listOf('10', [thing('a', '5')]), watch: openWatch }, { decoder });
    built.reflector.start(true);
    await built.clock.settle();
    expect(built.sink.calls).toEqual(['list shop/a=5', 'synced']);
    expect(requestsOf(built)).toEqual(['watch-list whole', 'list whole', 'watch from 10 whole']);
    await built.reflector.stop();
  });

  it('is incomplete when its stream breaks off, and starts over', async () => {
    const [first, second] = [new FakeBody(), new FakeBody()];
    const built = streaming(first, second);
    const { reflector, clock, sink } = built;
    sink.objects.set('shop/gone', '1');
    reflector.start();
    first.line(added);
    await clock.settle();
    first.reset();
    await clock.advance(1_000);
    expect(sink.calls).toEqual(['list shop/a=metadata-only']);
    expect(reflector.status.synced).toBe(false);
    second.push(lines(added, bookmarkEnd('50')));
    await clock.settle();
    expect(sink.calls.slice(1)).toEqual(['list shop/a=metadata-only', 'remove shop/gone', 'synced']);
    expect(requestsOf(built)).toEqual(['watch-list metadata', 'watch-list metadata', 'watch from 50 whole']);
    await reflector.stop();
  });

  it.each([
    ['ends', (body: FakeBody) => body.end()],
    ['falls silent', () => undefined],
  ])('is paged from then on if its stream %s before its end mark', async (_how, then) => {
    const first = new FakeBody();
    const built = world(
      (request, index) => (isWatch(request) ? { body: index === 0 ? first : new FakeBody() } : listOf('10', [])),
      { decoder },
    );
    built.reflector.start();
    first.line(added);
    then(first);
    await built.clock.advance(10_000);
    expect(requestsOf(built)).toEqual(['watch-list metadata', 'list metadata', 'watch from 10 whole']);
    await built.reflector.stop();
  });

  it('is not repeated if the watch can resume', async () => {
    const [list, watch] = [new FakeBody(), new FakeBody()];
    const built = streaming(list, watch);
    built.reflector.start();
    list.line(bookmarkEnd('50'));
    watch.line({ type: 'MODIFIED', object: thing('a', '51') });
    await built.clock.settle();
    watch.reset();
    await built.clock.advance(1_000);
    expect(requestsOf(built)).toEqual(['watch-list metadata', 'watch from 50 whole', 'watch from 51 whole']);
    await built.reflector.stop();
  });

  it('is repeated after a 410', async () => {
    const [list, watch, again] = [new FakeBody(), new FakeBody(), new FakeBody()];
    const built = streaming(list, watch, again);
    const { reflector, clock, sink, reconnects } = built;
    reflector.start();
    list.push(lines(added, bookmarkEnd('50')));
    watch.line(expired);
    again.push(lines({ type: 'ADDED', object: thing('b', '60') }, bookmarkEnd('70')));
    await clock.advance(1_000);
    expect(sink.calls.slice(2)).toEqual(['list shop/b=metadata-only', 'remove shop/a', 'synced']);
    expect(reconnects).toEqual(['expired']);
    expect(requestsOf(built).slice(2)).toEqual(['watch-list metadata', 'watch from 70 whole']);
    await reflector.stop();
  });

  it('replaces a refused watch', async () => {
    const built = world((request) => (isWatch(request) ? refusal(403, 'Forbidden') : listOf('10', [thing('a', '5')])), {
      decoder,
    });
    const { reflector, clock, sink } = built;
    reflector.start();
    await clock.advance(1_000);
    expect(sink.calls.slice(0, 2)).toEqual(['list shop/a=metadata-only', 'synced']);
    expect(requestsOf(built).slice(0, 4)).toEqual([
      'watch-list metadata',
      'list metadata',
      'watch from 10 whole',
      'list metadata',
    ]);
    await reflector.stop();
  });

  it('is streamed again although the watch after it was refused as invalid', async () => {
    const list = new FakeBody();
    const built = world(
      (_request, index) => (index === 1 ? refusal(400, 'BadRequest') : { body: index === 0 ? list : new FakeBody() }),
      { decoder },
    );
    built.reflector.start();
    list.line(bookmarkEnd('50'));
    await built.clock.advance(1_000);
    expect(requestsOf(built)).toEqual(['watch-list metadata', 'watch from 50 whole', 'watch-list metadata']);
    await built.reflector.stop();
  });

  it.each([
    ['at an object', 'list shop/a=metadata-only', ['list shop/a=metadata-only']],
    ['when it is complete', 'synced', ['list shop/a=metadata-only', 'list shop/b=metadata-only', 'synced']],
  ])('reports and requests nothing more once stopped %s', async (_when, at, calls) => {
    const list = new FakeBody();
    const built = streaming(list);
    const { reflector, clock, sink } = built;
    let stopped: Promise<void> | undefined;
    sink.fails = (call) => {
      if (call === at) stopped = reflector.stop();
      return false;
    };
    reflector.start();
    list.push(lines(added, { type: 'ADDED', object: thing('b', '98') }, bookmarkEnd('50')));
    await clock.settle();
    await stopped;
    expect(sink.calls).toEqual(calls);
    expect(requestsOf(built)).toEqual(['watch-list metadata']);
    expect(reflector.status.state).toBe('stopped');
    expect([list.closed, clock.pendingTimers]).toEqual([true, 0]);
  });
});

describe('events', () => {
  async function watching(): Promise<ReturnType<typeof pagedWorld> & { body: FakeBody }> {
    const body = new FakeBody();
    const built = pagedWorld({
      list: () => listOf('10', [thing('a', '5')]),
      watch: (_request, index) => (index === 0 ? { body } : openWatch()),
    });
    built.reflector.start();
    await built.clock.settle();
    return { ...built, body };
  }

  it('deletes, adds, and resumes from a bookmark', async () => {
    const { reflector, clock, sink, body, watches } = await watching();
    body.line({ type: 'DELETED', object: thing('a', '11') });
    body.line({ type: 'ADDED', object: thing('b', '12') });
    body.line({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '40' } } });
    await clock.settle();
    body.reset();
    await clock.advance(1_000);
    expect(sink.calls.slice(2)).toEqual(['remove shop/a', 'watch shop/b=12']);
    expect(queryOf(watches[2]!).get('resourceVersion')).toBe('40');
    await reflector.stop();
  });

  it('accepts versions in any order', async () => {
    const { reflector, clock, body, watches, sink } = await watching();
    body.line({ type: 'MODIFIED', object: thing('a', '900', 'x') });
    body.line({ type: 'MODIFIED', object: thing('a', '8', 'y') });
    body.line({ type: 'MODIFIED', object: thing('a', 'opaque', 'z') });
    await clock.settle();
    body.reset();
    await clock.advance(1_000);
    expect(sink.objects.get('shop/a')).toBe('z');
    expect(queryOf(watches[2]!).get('resourceVersion')).toBe('opaque');
    await reflector.stop();
  });

  it('ignores an event with an unknown type, and counts it', async () => {
    const { reflector, clock, sink, body, decodeFailures } = await watching();
    body.line({ type: 'RENAMED', object: thing('a', '11') });
    body.line({ type: 'MODIFIED', object: thing('a', '12') });
    await clock.settle();
    expect(decodeFailures).toEqual(['unknown-event']);
    expect(sink.calls.at(-1)).toBe('watch shop/a=12');
    await reflector.stop();
  });

  it('skips an object with the wrong shape, keeps its previous state, logs its name, and continues', async () => {
    const { reflector, clock, sink, body, decodeFailures, logger, watches } = await watching();
    body.line({ type: 'MODIFIED', object: thing('a', '11', 7) });
    body.line({ type: 'MODIFIED', object: thing('b', '12') });
    body.line({ type: 'MODIFIED', object: thing('a', '13', 7) });
    await clock.settle();
    expect(decodeFailures).toEqual(['object', 'object']);
    expect(Object.fromEntries(sink.objects)).toEqual({ 'shop/a': '5', 'shop/b': '12' });
    expect(logger.lines.find((line) => line.level === 'warn')?.fields['object']).toBe('shop/a');
    body.reset();
    await clock.advance(1_000);
    expect(queryOf(watches[2]!).get('resourceVersion')).toBe('13');
    await reflector.stop();
  });

  it('removes a deleted object although its shape is wrong', async () => {
    const { reflector, clock, sink, body } = await watching();
    body.line({ type: 'DELETED', object: thing('a', '11', 7) });
    await clock.settle();
    expect(sink.calls.at(-1)).toBe('remove shop/a');
    await reflector.stop();
  });

  it('does not remove an object that a relist shows with the wrong shape', async () => {
    const { reflector, clock, sink } = pagedWorld({
      list: () => listOf('10', [thing('a', '5', 7), thing('b', '6')]),
      watch: openWatch,
    });
    sink.objects.set('shop/a', 'former');
    reflector.start();
    await clock.settle();
    expect(sink.calls).toEqual(['list shop/b=6', 'synced']);
    expect(sink.objects.get('shop/a')).toBe('former');
    await reflector.stop();
  });

  it.each([
    ['bytes that are not JSON', '{"type":"MODIFIED","object":{"metada}\n'],
    ['JSON that is no event', '[1]\n'],
  ])('lists again after %s', async (_what, bytes) => {
    const { reflector, clock, body, lists, reconnects, decodeFailures } = await watching();
    body.push(bytes);
    await clock.advance(1_500);
    expect(lists).toHaveLength(2);
    expect(reconnects).toEqual(['malformed']);
    expect(decodeFailures).toEqual(['stream']);
    await reflector.stop();
  });

  it('lists again after a line that was cut by the end of the stream', async () => {
    const { reflector, clock, body, lists } = await watching();
    body.push('{"type":"MODIF');
    body.end();
    await clock.advance(1_500);
    expect(lists).toHaveLength(2);
    await reflector.stop();
  });

  it('lists again after an endless line, instead of filling the memory', async () => {
    const { reflector, clock, body, lists } = await watching();
    for (let i = 0; i < 17; i++) body.push(Buffer.alloc(1024 * 1024, 'x'));
    await clock.advance(1_500);
    expect(lists).toHaveLength(2);
    expect(body.closed).toBe(true);
    await reflector.stop();
  });

  it('leaves no stream open when a proxy answers with a page', async () => {
    const page = new FakeBody();
    const { reflector, clock } = pagedWorld({
      list: () => ({ body: page, headers: { 'content-type': 'text/html' } }),
      watch: openWatch,
    });
    const aborted: boolean[] = [];
    page.reset = () => void aborted.push(true);
    reflector.start();
    await clock.settle();
    expect(aborted).toEqual([true]);
    expect(reflector.status.lastError?.message).toMatch(/text\/html/);
    await reflector.stop();
  });

  it('survives a sink that throws', async () => {
    const { reflector, clock, sink, body, logger, watches } = await watching();
    sink.fails = (call) => call.includes('=11');
    body.line({ type: 'MODIFIED', object: thing('a', '11') });
    body.line({ type: 'MODIFIED', object: thing('b', '12') });
    await clock.advance(5_000);
    expect(sink.calls.at(-1)).toBe('watch shop/b=12');
    expect(logger.lines.filter((line) => line.level === 'error')).toHaveLength(1);
    expect(watches).toHaveLength(2);
    await reflector.stop();
  });

  it('reports when it last heard from the server', async () => {
    const { reflector, clock, body } = await watching();
    await clock.advance(40_000);
    expect(reflector.status.lastActivityMonotonicMs).toBe(0);
    body.line({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '40' } } });
    await clock.settle();
    expect(reflector.status.lastActivityMonotonicMs).toBe(40_000);
    await reflector.stop();
  });
});
