import { describe, expect, it } from '@jest/globals';
import { readOnlyTransport } from './read-only-transport';
import type { HttpRequest, Transport } from '../transport';

const sent: string[] = [];
const inner: Transport = {
  send: ({ method }) => {
    sent.push(method);
    return Promise.resolve({ status: 200, headers: {}, body: (async function* () {})() });
  },
};
const request = (method: HttpRequest['method']): HttpRequest => ({ method, path: '/', headers: {}, pool: 'request' });

describe('readOnlyTransport', () => {
  it('sends reading requests', async () => {
    expect((await readOnlyTransport(inner).send(request('GET'))).status).toBe(200);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('does not send %s', async (method) => {
    await expect(readOnlyTransport(inner).send(request(method))).rejects.toThrow(`${method} is not sent`);
    expect(sent).not.toContain(method);
  });
});
