import { getEventListeners, getMaxListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { FakeClock } from '../../runtime/fake-clock';
import { clientWorld } from './client.fixture';
import type { Credentials } from '../access/credentials';
import type { KubeError } from '../errors';
import { ConnectionError, ProtocolError, TimeoutError, UnauthorizedError } from '../errors';
import { FakeBody, noAnswer, refusal } from '../transport/fake-transport';

const get = { method: 'GET', path: '/api/v1/namespaces/shop/configmaps/app' } as const;

/** Catches the rejection of `work`, so that it can be inspected later and does not count as unhandled. */
async function outcome(work: Promise<unknown>, clock: FakeClock, afterMs: number): Promise<unknown> {
  const caught = work.catch((thrown: unknown) => thrown);
  await clock.advance(afterMs);
  return await caught;
}

describe('KubeClient.request', () => {
  it('sends query, headers and body, and reads JSON', async () => {
    const { client, transport } = clientWorld(() => ({ body: { answer: 1 } }));
    const answer = await client.request({
      method: 'PATCH',
      path: '/apis/apps/v1/namespaces/shop/deployments/web',
      query: { fieldManager: 'a b', dryRun: undefined },
      body: { spec: 1 },
      contentType: 'application/merge-patch+json',
      accept: 'application/json;as=x',
    });
    expect(answer).toEqual({ answer: 1 });
    expect(transport.requests[0]).toMatchObject({
      method: 'PATCH',
      path: '/apis/apps/v1/namespaces/shop/deployments/web?fieldManager=a+b',
      headers: {
        authorization: 'Bearer t',
        accept: 'application/json;as=x',
        'content-type': 'application/merge-patch+json',
        'user-agent': 'reroll/test',
      },
      body: Buffer.from('{"spec":1}'),
      pool: 'request',
    });
    expect(transport.requests[0]?.headers).not.toHaveProperty('accept-encoding');
  });

  it('has a time limit of 30 s, or the given one', async () => {
    const { client, clock, transport } = clientWorld(noAnswer);
    const error = await outcome(client.request(get), clock, 30_000);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ message: 'get configmaps shop/app: no answer within 30000 ms' });
    expect(transport.requests[0]?.signal?.aborted).toBe(true);
    expect(await outcome(client.request({ ...get, timeoutMs: 5 }), clock, 5)).toBeInstanceOf(TimeoutError);
    expect(clock.pendingTimers).toBe(0);
  });

  it('includes the body: headers alone are not an answer', async () => {
    const body = new FakeBody();
    const { client, clock } = clientWorld(() => ({ body }));
    body.push('{');
    expect(await outcome(client.request(get), clock, 30_000)).toBeInstanceOf(TimeoutError);
    expect(body.closed).toBe(true);
  });

  it('ends with the signal of its caller', async () => {
    const { client, clock } = clientWorld(noAnswer);
    const controller = new AbortController();
    const work = client.request({ ...get, signal: controller.signal });
    controller.abort();
    expect(await outcome(work, clock, 0)).toBeInstanceOf(ConnectionError);
    expect(clock.pendingTimers).toBe(0);
  });

  it('leaves no listener on the signal of its caller', async () => {
    const { client } = clientWorld((_request, index) => (index === 0 ? { body: {} } : { status: 503 }));
    const { signal } = new AbortController();
    await client.request({ ...get, signal });
    await client.open({ ...get, signal }).catch(() => undefined);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('may run any number of requests with one signal: Node would warn of a leak at the eleventh', async () => {
    const { client } = clientWorld(() => ({ body: {} }));
    const { signal } = new AbortController();
    await client.request({ ...get, signal });
    expect(getMaxListeners(signal)).toBe(Infinity);
  });

  it('does not wait for credentials longer than for an answer', async () => {
    const credentials: Credentials = { headers: noAnswer, refresh: noAnswer };
    const { client, clock } = clientWorld(noAnswer, { credentials });
    expect(await outcome(client.request(get), clock, 30_000)).toBeInstanceOf(TimeoutError);
  });

  it('refreshes credentials after a 401, once', async () => {
    let refreshes = 0;
    const credentials: Credentials = {
      headers: async () => ({ authorization: `Bearer ${refreshes}` }),
      refresh: async () => {
        refreshes++;
      },
    };
    const renewed = clientWorld((_r, index) => (index === 0 ? refusal(401, 'Unauthorized') : { body: {} }), {
      credentials,
    });
    await renewed.client.request(get);
    expect(renewed.transport.requests.map((request) => request.headers['authorization'])).toEqual([
      'Bearer 0',
      'Bearer 1',
    ]);

    const refused = clientWorld(() => refusal(401, 'Unauthorized'), { credentials });
    await expect(refused.client.request(get)).rejects.toBeInstanceOf(UnauthorizedError);
    expect(refused.transport.requests).toHaveLength(2);
  });

  it('names the request of a failed connection, with the cause', async () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const { client } = clientWorld(() => {
      throw cause;
    });
    await expect(client.request(get)).rejects.toMatchObject({
      name: 'ConnectionError',
      message: 'get configmaps shop/app: connect ECONNREFUSED',
      cause,
    });
  });

  it('rejects an answer that is not JSON without quoting it', async () => {
    const { client } = clientWorld(() => ({ body: 'hunter2' }));
    const error = await client.request(get).catch((thrown: unknown) => thrown as KubeError);
    expect(error).toBeInstanceOf(ProtocolError);
    expect(String(error)).not.toContain('hunter2');
  });

  it('refuses an answer that is too long', async () => {
    const body = FakeBody.of(...Array.from({ length: 17 }, () => Buffer.alloc(1024 * 1024)));
    const { client } = clientWorld(() => ({ body }));
    await expect(client.request(get)).rejects.toThrow(/longer than/);
    expect(body.closed).toBe(true);
  });

  it('takes Retry-After from the header, or else from the Status', async () => {
    const { client } = clientWorld((_request, index) =>
      index === 0
        ? refusal(429, 'TooManyRequests', 'slow', { 'retry-after': '4' })
        : { status: 429, body: { kind: 'Status', details: { retryAfterSeconds: 9 } } },
    );
    await expect(client.request(get)).rejects.toMatchObject({ retryAfterMs: 4000 });
    await expect(client.request(get)).rejects.toMatchObject({ retryAfterMs: 9000 });
  });

  it('learns the time of the server from every answer, also from a refusal', async () => {
    const told: unknown[] = [];
    const serverClock = { observe: (...observed: unknown[]) => void told.push(observed) };
    const headers = { date: 'Thu, 01 Jan 2026 00:00:07 GMT' };
    const { client, clock } = clientWorld(
      (_request, index) => (index === 0 ? refusal(404, 'NotFound', 'gone', headers) : { body: '{}' }),
      { serverClock },
    );
    await clock.advance(1_500);
    await outcome(client.request(get), clock, 0);
    await outcome(client.request(get), clock, 0);
    expect(told).toEqual([
      [headers.date, 1_500],
      [undefined, 1_500],
    ]);
  });

  it('tells its observer about every request', async () => {
    const finished: unknown[] = [];
    const observer = { requestFinished: (request: unknown) => void finished.push(request) };
    const { client, clock } = clientWorld((_request, index) => (index === 0 ? { status: 404 } : noAnswer()), {
      observer,
    });
    await outcome(client.request(get), clock, 0);
    await outcome(client.request({ ...get, timeoutMs: 250 }), clock, 250);
    expect(finished).toEqual([
      { method: 'GET', resource: 'configmaps', code: '404', durationMs: 0 },
      { method: 'GET', resource: 'configmaps', code: 'KUBE_TIMEOUT', durationMs: 250 },
    ]);
  });
});

describe('KubeClient.open', () => {
  it('limits only the time until the response headers', async () => {
    const body = new FakeBody();
    const { client, clock } = clientWorld(() => ({ body }));
    const response = await client.open({ ...get, pool: 'watch' });
    await clock.advance(3_600_000);
    body.push('late');
    body.end();
    const chunks: string[] = [];
    for await (const chunk of response.body) chunks.push(chunk.toString());
    expect(chunks).toEqual(['late']);
  });

  it('throws the error of the server instead of a stream', async () => {
    const { client } = clientWorld(() => refusal(410, 'Expired'));
    await expect(client.open(get)).rejects.toMatchObject({ name: 'GoneError', status: 410, reason: 'Expired' });
  });

  it('closes the stream with the signal of its caller', async () => {
    const body = new FakeBody();
    const { client, clock } = clientWorld(() => ({ body }));
    const controller = new AbortController();
    const response = await client.open({ ...get, signal: controller.signal });
    const reading = response.body[Symbol.asyncIterator]().next();
    controller.abort();
    expect(await outcome(reading, clock, 0)).toBeInstanceOf(ConnectionError);
    expect(body.closed).toBe(true);
  });
});
