import { once } from 'node:events';
import { request, type RequestOptions } from 'node:https';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../shared/runtime/clock';
import { systemRandom } from '../../shared/runtime/random';
import { ApiServer } from './api-server';
import { startHttpsServer, type HttpsServer } from './https-server';
import { forwardTo } from './port-forward';

const key = 'dGhlIHNhbXBsZSBub25jZQ==';

describe('a port forward by the simulated API server', () => {
  let target: Server;
  let api: HttpsServer;

  beforeEach(async () => {
    target = createServer((_request, response) => response.end('x'.repeat(100_000)));
    target.listen(0, '127.0.0.1');
    await once(target, 'listening');
    const { port } = target.address() as AddressInfo;
    api = await startHttpsServer(new ApiServer({ clock: systemClock, random: systemRandom }), {
      upgrade: forwardTo((namespace, pod) => (namespace === 'reroll' && pod === 'reroll-0' ? port : undefined)),
    });
  });

  afterEach(async () => {
    await api.close();
    target.close();
  });

  function upgrade(pod: string) {
    const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-key': key };
    const options: RequestOptions = { ca: api.caPem, headers };
    const path = `/api/v1/namespaces/reroll/pods/${pod}/portforward?ports=9095`;
    const asked = request(`${api.url}${path}`, options);
    asked.end();
    return asked;
  }

  it('answers 404 for a pod that is not there', async () => {
    const [response] = (await once(upgrade('reroll-1'), 'response')) as [IncomingMessage];
    let body = '';
    for await (const chunk of response) body += String(chunk);
    expect(response.statusCode).toBe(404);
    expect(JSON.parse(body)).toMatchObject({ reason: 'NotFound', message: 'pods "reroll-1" not found' });
  });

  it('leads to the port of a pod that is there, and an answer longer than a frame arrives whole', async () => {
    const [, socket] = (await once(upgrade('reroll-0'), 'upgrade')) as [IncomingMessage, Duplex];
    const question = Buffer.from('\u0000GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    // Masked by zeros.
    socket.write(Buffer.concat([Buffer.from([0x82, 0x80 | question.length, 0, 0, 0, 0]), question]));
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    expect(text.split('x').length - 1).toBe(100_000);
  });
});
