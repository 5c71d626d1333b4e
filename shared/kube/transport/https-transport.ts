import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, type SecureContext } from 'node:tls';
import { errorMessage } from '../../domain/errors';
import { isAborted } from '../../runtime/clock';
import type { TlsMaterial } from '../access/cluster-access';
import { CredentialsError } from '../access/credentials';
import { ConnectionError } from '../errors';
import { IncomingBody } from './incoming-body';
import type { HttpRequest, HttpResponse, Transport } from '../transport';

export interface HttpsTransportOptions {
  /** `https://host:port`, maybe with a path prefix; `http://` only for a kubeconfig with insecure-skip-tls-verify. */
  readonly server: string;
  readonly tls: TlsMaterial;
  /** Maximum of concurrent requests, not counting one urgent request; others wait for a connection. Default 16. */
  readonly maxRequestSockets?: number;
}

export interface HttpsTransport extends Transport {
  /**
   * New connections use this material; open streams continue until they end.
   * @throws CredentialsError if it cannot be used. The old material then stays in use.
   */
  reload(tls: TlsMaterial): void;
  /** Closes every connection. */
  close(): void;
  /** Number of connections opened so far. */
  readonly connectionsOpened: number;
}

type Agents = Readonly<Record<HttpRequest['pool'], http.Agent>>;

const maxUrgentSockets = 1;

/**
 * Each watch holds a connection for minutes. This is enough for all resources in as many namespaces as `--namespaces`
 * accepts.
 */
export const maxWatchSockets = 2_048;

/** Prevents middleboxes from dropping an idle connection. */
const tcpKeepAliveMs = 30_000;

/**
 * HTTP/1.1 over keep-alive connections; watches and requests use separate ones. The caller sets time limits by its
 * signal. Compression is not requested: it would cost the API server more than it saves within a cluster.
 */
export function createHttpsTransport(options: HttpsTransportOptions): HttpsTransport {
  const base = new URL(options.server);
  const secure = base.protocol === 'https:';
  const prefix = base.pathname.replace(/\/$/, '');
  const maxRequestSockets = options.maxRequestSockets ?? 16;
  const seenSockets = new WeakSet<Socket>();
  let connectionsOpened = 0;
  const isProxied = options.tls.proxyAgent !== undefined;
  let agents = newAgents(secure, options.tls, maxRequestSockets);

  const start = (request: HttpRequest, agent: http.Agent): http.ClientRequest => {
    const { body } = request;
    const headers = withLists(request.headers);
    const outgoing = (secure ? https : http).request({
      hostname: base.hostname.replace(/^\[|\]$/g, ''),
      port: base.port === '' ? (secure ? 443 : 80) : base.port,
      method: request.method,
      path: prefix + request.path,
      // Node does not frame the body of a DELETE: the server would read it as the next request and ignore its options.
      headers: body === undefined ? headers : { ...headers, 'content-length': String(body.length) },
      agent,
    });
    outgoing.on('socket', (socket) => {
      if (seenSockets.has(socket)) return;
      seenSockets.add(socket);
      connectionsOpened++;
    });
    outgoing.end(body);
    return outgoing;
  };

  const exchange = async (request: HttpRequest, mayRetry: boolean): Promise<HttpResponse> => {
    const { signal } = request;
    if (signal?.aborted === true) throw new ConnectionError('aborted');
    const agent = agentFor(agents, request);
    const outgoing = start(request, agent);
    let answer: Answer | undefined;
    const abort = (): void => void (answer?.incoming ?? outgoing).destroy(new ConnectionError('aborted'));
    signal?.addEventListener('abort', abort);
    outgoing.once('close', () => signal?.removeEventListener('abort', abort));
    try {
      answer = await answerOf(outgoing, signal);
    } catch (thrown) {
      // No answer in time on a connection that was idle: its peer may be gone without a word. Then the other idle ones
      // are dead too, and each would cost the next request its time.
      if (outgoing.reusedSocket && signal && isAborted(signal)) destroyIdle(agent);
      if (!mayRetry || !wasClosedWhileIdle(outgoing, thrown)) throw asConnectionError(thrown, isProxied);
      // The server has probably closed all idle connections: the retry needs a new one.
      destroyIdle(agent);
      return await exchange(request, false);
    }
    const { incoming, upgraded } = answer;
    return {
      status: incoming.statusCode ?? 0,
      headers: singleHeaders(incoming.headers),
      body: new IncomingBody(incoming, (thrown) => asConnectionError(thrown)),
      ...(upgraded && { upgraded }),
    };
  };

  return {
    // A write on a closed connection may have been carried out; only reads are repeated here.
    send: async (request) => await exchange(request, request.method === 'GET'),
    reload(tls) {
      const old = agents;
      agents = newAgents(secure, tls, maxRequestSockets);
      for (const agent of Object.values(old)) {
        // Connections in use are closed when their requests end.
        agent.maxFreeSockets = 0;
        destroyIdle(agent);
      }
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
    get connectionsOpened() {
      return connectionsOpened;
    },
  };
}

function newAgents(secure: boolean, tls: TlsMaterial, maxRequestSockets: number): Agents {
  const { serverName, insecureSkipVerify, proxyAgent } = tls;
  const secureContext = secure && !proxyAgent ? secureContextOf(tls) : undefined;
  const newAgent = (maxSockets: number): http.Agent => {
    // Use the connections in turn, not the last one first. The renewals of the Lease then keep all connections from
    // being closed as idle (kube-apiserver does that after 90 s), so a burst of writes finds them open.
    const keepAlive = { keepAlive: true, keepAliveMsecs: tcpKeepAliveMs, maxSockets, scheduling: 'fifo' as const };
    if (proxyAgent) return proxyAgent;
    if (!secureContext) return new http.Agent(keepAlive);
    return new https.Agent({
      ...keepAlive,
      secureContext,
      ...(serverName !== undefined && { servername: serverName }),
      rejectUnauthorized: insecureSkipVerify !== true,
    });
  };
  return {
    request: newAgent(maxRequestSockets),
    urgent: newAgent(maxUrgentSockets),
    watch: newAgent(maxWatchSockets),
  };
}

/**
 * One for all connections. An agent that is given certificates instead reads them for each connection, and compares them,
 * as text, three times for each request.
 */
function secureContextOf({ ca, cert, key }: TlsMaterial): SecureContext {
  try {
    return createSecureContext({ ca, cert, key, minVersion: 'TLSv1.2' });
  } catch (thrown) {
    const why = `the client certificate and its key cannot be used: ${errorMessage(thrown)}`;
    throw new CredentialsError(`${why}; both must be PEM, and belong together`, thrown);
  }
}

/** An urgent request uses a normal connection while one is free, so that normal connections are not closed as idle. */
function agentFor(agents: Agents, { pool }: HttpRequest): http.Agent {
  return pool === 'urgent' && !isFull(agents.request) ? agents.request : agents[pool];
}

function isFull({ sockets, maxSockets }: http.Agent): boolean {
  return Object.values(sockets).flat().length >= maxSockets;
}

interface Answer {
  readonly incoming: http.IncomingMessage;
  readonly upgraded?: Duplex;
}

async function answerOf(outgoing: http.ClientRequest, signal: AbortSignal | undefined): Promise<Answer> {
  return await new Promise((resolve, reject) => {
    // Reject at once: a request that waits for a connection emits its end only after it gets one, so no time limit
    // would apply.
    const aborted = (): void => reject(new ConnectionError('aborted'));
    signal?.addEventListener('abort', aborted);
    outgoing.once('close', () => signal?.removeEventListener('abort', aborted));
    outgoing.once('response', (incoming) => resolve({ incoming }));
    outgoing.once('upgrade', (incoming, upgraded, head) => {
      if (head.length > 0) upgraded.unshift(head);
      resolve({ incoming, upgraded });
    });
    // Stays attached: an error after the response must not be uncaught. The reader of the body receives it as well.
    outgoing.on('error', reject);
  });
}

/** Whether the server closed an idle connection just as the request was sent. No part of an answer arrived. */
function wasClosedWhileIdle(outgoing: http.ClientRequest, thrown: unknown): boolean {
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
  return outgoing.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
}

function destroyIdle(agent: http.Agent): void {
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}

function asConnectionError(thrown: unknown, isProxied = false): ConnectionError {
  if (thrown instanceof ConnectionError) return thrown;
  return new ConnectionError(`${isProxied ? 'through the proxy: ' : ''}${errorMessage(thrown)}`, thrown);
}

/** Node sends a list as several headers of one name. */
function withLists(headers: HttpRequest['headers']): http.OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, name.startsWith('impersonate-') ? value.split('\n') : value]),
  );
}

function singleHeaders(headers: http.IncomingHttpHeaders): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}
