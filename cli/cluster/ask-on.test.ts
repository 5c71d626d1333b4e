import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { askOn, type Reply } from './ask-on';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** What is made of an answer. */
async function asked(answer: (response: ServerResponse, acceptEncoding: unknown) => void): Promise<Reply> {
  const server = createServer((request, response) => answer(response, request.headers['accept-encoding']));
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connection = connect((server.address() as AddressInfo).port, '127.0.0.1');
  try {
    return await askOn(connection, '/v1/workloads');
  } finally {
    connection.destroy();
  }
}

const zipped = { 'content-encoding': 'gzip' };

describe('askOn', () => {
  it('asks for a compressed answer, and reads it', async () => {
    const reply = await asked((response, acceptEncoding) => {
      response.writeHead(503, zipped).end(gzipSync(JSON.stringify({ acceptEncoding })));
    });
    expect(reply).toEqual({ status: 503, text: '{"acceptEncoding":"gzip"}' });
  });

  it('reads what an older leader sends, which is not compressed', async () => {
    expect(await asked((response) => response.end('{}'))).toEqual({ status: 200, text: '{}' });
  });

  it('refuses an answer that a few bytes make larger than the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(100_000);
    await expect(asked((response) => response.writeHead(200, zipped).end(bomb))).rejects.toThrow(
      'the answer is longer than 16777216 bytes',
    );
  });

  it.each([
    ['is cut off', gzipSync('a long answer').subarray(0, 12), 'unexpected end of file'],
    ['is not what it says it is', Buffer.from('{}'), 'incorrect header check'],
  ])('refuses a compressed answer that %s', async (_, bytes, message) => {
    await expect(asked((response) => response.writeHead(200, zipped).end(bytes))).rejects.toThrow(message);
  });

  it('fails if the connection ends within a compressed answer', async () => {
    const answer = gzipSync(Buffer.from(Array.from({ length: 4_000 }, (_, index) => index % 251)));
    await expect(
      asked((response) => {
        response.writeHead(200, { ...zipped, 'content-length': answer.length });
        response.write(answer.subarray(0, 20), () => response.destroy());
      }),
    ).rejects.toThrow(/aborted|premature|unexpected end/i);
  });
});
