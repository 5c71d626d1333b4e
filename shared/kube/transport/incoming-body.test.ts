import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, it } from '@jest/globals';
import { ConnectionError } from '../errors';
import { IncomingBody } from './incoming-body';

let incoming: Readable;
let body: IncomingBody;

beforeEach(() => {
  incoming = new Readable({ read: () => undefined });
  body = new IncomingBody(incoming, (thrown) => new ConnectionError('mapped', thrown));
});

async function allOf(): Promise<string> {
  let text = '';
  for await (const chunk of body) text += chunk.toString();
  return text;
}

it('returns chunks in order, whether they arrive before or after the read', async () => {
  incoming.push('a');
  incoming.push('b');
  await nextTurn();
  const all = allOf();
  await nextTurn();
  incoming.push('c');
  await nextTurn();
  incoming.push(null);
  expect(await all).toBe('abc');
  expect(await body.next()).toEqual({ done: true, value: undefined });
});

it('returns what arrived before the connection broke, and then the error', async () => {
  incoming.push('a');
  await nextTurn();
  incoming.destroy(new Error('reset'));
  await nextTurn();
  expect(await body.next()).toMatchObject({ value: Buffer.from('a') });
  await expect(body.next()).rejects.toThrow('mapped');
  await expect(body.next()).rejects.toThrow('mapped');
});

it('rejects a waiting read on an error', async () => {
  const next = body.next();
  incoming.destroy(new Error('reset'));
  await expect(next).rejects.toThrow('mapped');
});

it('is not complete when the connection closes early', async () => {
  const next = body.next();
  incoming.destroy();
  await expect(next).rejects.toThrow(ConnectionError);
});

it('closes the connection when its reader leaves', async () => {
  incoming.push('a');
  for await (const chunk of body) {
    expect(chunk.toString()).toBe('a');
    break;
  }
  expect(incoming.destroyed).toBe(true);
});

it('pauses the connection while too much is queued, and resumes after reads', async () => {
  const chunk = Buffer.alloc(64 * 1024);
  for (let pushed = 0; pushed < 5; pushed++) {
    incoming.push(chunk);
    await nextTurn();
  }
  expect(incoming.isPaused()).toBe(true);
  incoming.push('behind');
  for (let read = 0; read < 5; read++) expect((await body.next()).value).toHaveLength(chunk.length);
  expect(incoming.isPaused()).toBe(false);
  expect((await body.next()).value?.toString()).toBe('behind');
});
