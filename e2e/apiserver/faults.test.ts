import { describe, expect, it } from '@jest/globals';
import { ConnectionError } from '../../shared/kube/errors';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { ApiServer } from './api-server';
import { configMap, seed } from './cluster';
import { ContractClient, type WatchReader } from './contract/contract-client';
import { type Fault, type FaultRule, Faults } from './faults';
import { inProcessTransport } from './in-process-transport';
import { stringAt } from './json';
import { configMapKind } from './resources';
import { seededRandom } from './seeded-random';

const url = '/api/v1/namespaces/default/configmaps';

function start(...rules: FaultRule[]) {
  const clock = new FakeClock();
  const server = new ApiServer({ clock, random: seededRandom(1) });
  const faults = new Faults(clock, rules);
  const client = new ContractClient(inProcessTransport(server, 'reroll', faults));
  return { clock, server, faults, client };
}

const always = (fault: Fault): FaultRule => ({ match: () => true, fault });
const once = (fault: Fault): FaultRule => ({ match: () => true, times: 1, fault });

/** A watch under the given fault, with three events to deliver: ConfigMaps `a`, `b` and `c`. */
async function watched(
  fault: Fault,
): Promise<{ watch: WatchReader; clock: FakeClock; client: ContractClient; server: ApiServer }> {
  const { server, client, clock } = start(always(fault));
  const from = server.store.revision;
  seed(server, configMap({ name: 'a' }), configMap({ name: 'b' }), configMap({ name: 'c' }));
  const watch = await client.watch(`${url}?watch=true&resourceVersion=${from}`);
  return { watch, clock, client, server };
}

async function nameOf(watch: WatchReader): Promise<string | undefined> {
  return stringAt((await watch.next())?.object, 'metadata', 'name');
}

/** Resolves to 'pending' if the promise does not settle without more time or input. */
async function state(promise: Promise<unknown>): Promise<string> {
  const settled = promise.then(
    () => 'resolved',
    () => 'rejected',
  );
  await new FakeClock().settle();
  return await Promise.race([settled, Promise.resolve('pending')]);
}

describe('faults of requests', () => {
  it('resets before the server has seen the request', async () => {
    const { client, server } = start(once({ kind: 'reset', when: 'before' }));
    await expect(client.post(url, configMap({ name: 'a' }))).rejects.toThrow(ConnectionError);
    expect(server.store.count(configMapKind)).toBe(0);
  });

  it('resets after the write is stored', async () => {
    const { client, server } = start(once({ kind: 'reset', when: 'after' }));
    await expect(client.post(url, configMap({ name: 'a' }))).rejects.toThrow(ConnectionError);
    expect(server.store.count(configMapKind)).toBe(1);
  });

  it('never answers when half-open, until it is aborted', async () => {
    const { client, server } = start(always({ kind: 'half-open' }));
    const answer = client.get(url);
    expect(await state(answer)).toBe('pending');
    expect(server.requests()).toEqual([]);
    const watch = client.watch(`${url}?watch=true`);
    client.closeWatches();
    await expect(watch).rejects.toThrow('aborted');
  });

  it('delays by the clock', async () => {
    const { client, clock } = start(once({ kind: 'delay', delayMs: 5_000 }));
    const answer = client.get(url);
    await clock.advance(4_999);
    expect(await state(answer)).toBe('pending');
    await clock.advance(1);
    expect((await answer).status).toBe(200);
  });

  it.each([401, 403, 404, 409, 410, 429, 500, 503, 504])('refuses with %i', async (code) => {
    const { client } = start(once({ kind: 'status', code, retryAfterSeconds: 3 }));
    const answer = await client.get(url);
    expect(answer.status).toBe(code);
    expect(answer.body).toMatchObject({ kind: 'Status', code });
  });

  it('says when to come back', async () => {
    const { server, clock } = start();
    const faults = new Faults(clock, [once({ kind: 'status', code: 429, retryAfterSeconds: 7 })]);
    const transport = inProcessTransport(server, 'reroll', faults);
    const response = await transport.send({ method: 'GET', path: url, headers: {}, pool: 'request' });
    expect(response.headers['retry-after']).toBe('7');
  });
});

describe('faults of streams', () => {
  it('breaks a stream after some events', async () => {
    const { watch } = await watched({ kind: 'reset-stream', atEvent: 1 });
    expect(await nameOf(watch)).toBe('a');
    await expect(watch.next()).rejects.toThrow(ConnectionError);
  });

  it('falls silent without closing', async () => {
    const { watch, client } = await watched({ kind: 'half-open', atEvent: 1 });
    expect(await nameOf(watch)).toBe('a');
    const silence = watch.next();
    expect(await state(silence)).toBe('pending');
    client.closeWatches();
    await expect(silence).rejects.toThrow('aborted');
  });

  it('cuts a line in two', async () => {
    const { watch } = await watched({ kind: 'truncate', atEvent: 1 });
    expect(await nameOf(watch)).toBe('a');
    expect(await watch.next()).toBeUndefined();
  });

  it('breaks the JSON of a line', async () => {
    const { watch } = await watched({ kind: 'malform', atEvent: 1 });
    expect(await nameOf(watch)).toBe('a');
    await expect(watch.next()).rejects.toThrow(SyntaxError);
  });

  it('breaks the bytes of a frame and keeps its length', async () => {
    const { server, client } = start(always({ kind: 'malform', atEvent: 0 }));
    seed(server, configMap({ name: 'a' }));
    const watch = await client.watch(`${url}?watch=true`, 'application/vnd.kubernetes.protobuf;stream=watch');
    expect((await watch.nextFrame())?.every((byte) => byte === 0xff)).toBe(true);
  });

  it('says 410 in the middle', async () => {
    const { watch } = await watched({ kind: 'error-event', code: 410, atEvent: 2 });
    expect([await nameOf(watch), await nameOf(watch)]).toEqual(['a', 'b']);
    expect(await watch.next()).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    expect(await watch.next()).toBeUndefined();
  });

  it('tells every event twice', async () => {
    const { watch } = await watched({ kind: 'duplicate' });
    expect([await nameOf(watch), await nameOf(watch), await nameOf(watch)]).toEqual(['a', 'a', 'b']);
  });

  it('lags, in order, and lets go when it is closed', async () => {
    let lagMs = 2_000;
    const { watch, clock, client, server } = await watched({ kind: 'lag', lagMs: () => (lagMs -= 500) });
    const first = nameOf(watch);
    await clock.advance(1_499);
    expect(await state(first)).toBe('pending');
    await clock.advance(1);
    expect([await first, await nameOf(watch), await nameOf(watch)]).toEqual(['a', 'b', 'c']);
    client.closeWatches();
    await clock.settle();
    expect(server.watchCache.watcherCount()).toBe(0);
  });

  it('makes two streams of one client be seen in either order', async () => {
    const { server, client, clock, faults } = start();
    faults.add({
      match: ({ pathname, isWatch }) => isWatch && pathname.endsWith('configmaps'),
      fault: { kind: 'lag', lagMs: 1_000 },
    });
    const slow = await client.watch(`${url}?watch=true`);
    const quick = await client.watch('/api/v1/namespaces/default/secrets?watch=true');
    seed(server, configMap({ name: 'first' }), { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'second' } });
    const late = slow.next();
    expect(await nameOf(quick)).toBe('second');
    expect(await state(late)).toBe('pending');
    await clock.advance(1_000);
    expect((await late)?.type).toBe('ADDED');
  });
});

describe('rules', () => {
  it('strike as often as they say, and only what they match', async () => {
    const { client } = start({
      match: ({ method, user, query }) => method === 'GET' && user === 'reroll' && query.get('limit') === '1',
      times: 2,
      fault: { kind: 'status', code: 503 },
    });
    const codes = [];
    for (const path of [url, `${url}?limit=1`, `${url}?limit=1`, `${url}?limit=1`])
      codes.push((await client.get(path)).status);
    expect(codes).toEqual([200, 503, 503, 200]);
  });

  it('can be taken back one by one and all at once', async () => {
    const { client, faults } = start();
    const remove = faults.add(always({ kind: 'status', code: 500 }));
    remove();
    expect((await client.get(url)).status).toBe(200);
    faults.add(always({ kind: 'status', code: 500 }));
    faults.clear();
    expect((await client.get(url)).status).toBe(200);
  });
});
