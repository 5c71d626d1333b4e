import http from 'node:http';
import { pipeline, type Duplex } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { readBody } from '../../shared/kube/client/response-body';

/** The answer to a question of the inspection interface. */
export interface Reply {
  readonly status: number;
  readonly text: string;
}

/** A page of 1,000 workloads is far smaller. */
const maxReplyBytes = 16 * 1024 * 1024;

/** Asks one question by HTTP on a connection that is open already. The other end closes it after the answer. */
export async function askOn(connection: Duplex, path: string): Promise<Reply> {
  const outgoing = http.request({
    createConnection: () => connection,
    path,
    // The interface answers under no other name: it must not be asked by pages in a browser.
    headers: { host: 'localhost', accept: 'application/json', 'accept-encoding': 'gzip', connection: 'close' },
  });
  const incoming = await new Promise<http.IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    // Stays attached: an error after the response must not be uncaught.
    outgoing.on('error', reject);
    outgoing.end();
  });
  const text = (await readBody(unzipped(incoming), maxReplyBytes)).toString('utf8');
  return { status: incoming.statusCode ?? 0, text };
}

/** The limit holds for what comes out: a process that somebody took over could send little that grows without end. */
function unzipped(incoming: http.IncomingMessage): AsyncIterable<Buffer> {
  if (incoming.headers['content-encoding'] !== 'gzip') return incoming as AsyncIterable<Buffer>;
  // Errors of either end reach whoever reads.
  return pipeline(incoming, createGunzip(), () => undefined) as AsyncIterable<Buffer>;
}
