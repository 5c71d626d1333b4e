import http from 'node:http';
import https from 'node:https';
import { RerollError } from '../domain/errors';
import { codeOf } from './post-transport';
import { responseTo } from './response-to';

export interface GetRequest {
  readonly protocol: 'http' | 'https';
  /** A name or an IP address. */
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whoever answers is taken for the one that is meant, whatever its certificate; `serverName` is what it is told. */
  readonly anyCertificate?: { readonly serverName: string };
  /** 0: the body is not read. */
  readonly maxBodyBytes: number;
}

export interface GetAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * The network, for requests that only read. No redirect is followed: it could lead to whom nobody meant.
 *
 * @throws GetError if there is no answer, or one that is too long, and as soon as the signal is aborted
 */
export type HttpGet = (request: GetRequest, signal: AbortSignal) => Promise<GetAnswer>;

/** There is no answer, or none that can be read. The message names neither address nor content. */
export class GetError extends RerollError {
  constructor(why: string) {
    super(why, { code: 'GET_FAILED' });
  }
}

/** One connection for each request, without a proxy. */
export const httpGet: HttpGet = async (request, signal) => {
  const { protocol, host, port, path, headers, anyCertificate, maxBodyBytes } = request;
  const tls = anyCertificate && { rejectUnauthorized: false, servername: anyCertificate.serverName };
  const options = { host, port, path, headers: { 'user-agent': 'reroll', ...headers }, agent: false, signal, ...tls };
  try {
    const incoming = await responseTo((protocol === 'https' ? https : http).request(options));
    return { status: incoming.statusCode ?? 0, body: await bodyOf(incoming, maxBodyBytes) };
  } catch (thrown) {
    throw thrown instanceof GetError ? thrown : new GetError(`no answer (${codeOf(thrown)})`);
  }
};

async function bodyOf(incoming: http.IncomingMessage, maxBytes: number): Promise<string> {
  if (maxBytes === 0) {
    incoming.destroy();
    return '';
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop closes the connection.
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new GetError(`an answer of more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
