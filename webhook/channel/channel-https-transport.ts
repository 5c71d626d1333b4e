import https from 'node:https';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { createSecureContext } from 'node:tls';
import { budgets } from '../../shared/domain/budgets';
import type { ChannelPath } from '../../shared/domain/protocol/channel-names';
import { RerollError, errorMessage } from '../../shared/domain/errors';
import { readBody } from '../../shared/kube/client/response-body';
import { parseRetryAfter } from '../../shared/kube/client/retry-after';
import type { Clock } from '../../shared/runtime/clock';
import type { TlsMaterialSource } from '../../shared/runtime/tls/tls-material';
import type { ChannelAnswer, ChannelTransport } from './channel-transport';

export interface ChannelHttpsTransportOptions {
  readonly clock: Clock;
  /** The client certificate, and the CA of the reconcilers' certificates. */
  readonly tls: TlsMaterialSource;
  /** The name that a reconciler's certificate must have: requests go to pod IPs, which no certificate contains. */
  readonly serverName: string;
}

type Post = Parameters<ChannelTransport['post']>;

/** The reconciler could not be reached. */
export class ChannelError extends RerollError {
  constructor(address: string, cause: unknown) {
    super(`reconciler ${address}: ${errorMessage(cause)}`, { code: 'CHANNEL_UNREACHABLE', cause });
  }
}

/** One for the current batch, a second if that one hangs, the others for queries. */
const maxSocketsPerReplica = 4;

/** An answer names only a few workloads. The largest one holds a baseline, whose quotes are escaped, and little else. */
export const maxAnswerBytes = budgets.questionBytes;

/** HTTP/1.1 over mutual TLS on kept-alive connections. */
export class ChannelHttpsTransport implements ChannelTransport {
  readonly #options: ChannelHttpsTransportOptions;
  #agent: https.Agent | undefined;

  constructor(options: ChannelHttpsTransportOptions) {
    this.#options = options;
    this.#agent = this.#newAgent();
    options.tls.onChange(() => {
      const old = this.#agent;
      this.#agent = this.#newAgent();
      if (old) retire(old);
    });
  }

  async post(address: string, path: ChannelPath, body: Buffer, signal: AbortSignal): Promise<ChannelAnswer> {
    const agent = this.#agent;
    if (!agent) throw new ChannelError(address, 'there is no client certificate yet');
    try {
      const incoming = await this.#send(agent, address, path, body, signal);
      return {
        status: incoming.statusCode ?? 0,
        body: await readBody(incoming, maxAnswerBytes),
        retryAfterMs: parseRetryAfter(incoming.headers['retry-after'], this.#options.clock.nowMs()),
      };
    } catch (thrown) {
      throw new ChannelError(address, thrown);
    }
  }

  /**
   * Sends again if a kept-alive connection ended under the request: reconcilers close theirs by age and with each new
   * certificate. A query may be repeated, and a reconciler recognises a record that it already has.
   */
  async #send(agent: https.Agent, ...[address, path, body, signal]: Post): Promise<IncomingMessage> {
    for (;;) {
      const outgoing = request(agent, address, path, body, signal);
      try {
        return await answerTo(outgoing);
      } catch (thrown) {
        if (!outgoing.reusedSocket || signal.aborted) throw thrown;
      }
    }
  }

  /** Closes every connection. */
  close(): void {
    this.#agent?.destroy();
    this.#agent = undefined;
  }

  #newAgent(): https.Agent | undefined {
    const { serverName, tls } = this.#options;
    const material = tls.current();
    if (!material) return undefined;
    const { cert, key, ca } = material;
    return new https.Agent({
      // Given the certificates, an agent would read them for each connection, and compare them as text for each request.
      secureContext: createSecureContext({ cert, key, ca, minVersion: 'TLSv1.2' }),
      servername: serverName,
      keepAlive: true,
      maxSockets: maxSocketsPerReplica,
      maxFreeSockets: maxSocketsPerReplica,
    });
  }
}

function request(agent: https.Agent, ...[address, path, body, signal]: Post): ClientRequest {
  const { hostname, port } = new URL(`https://${address}`);
  const outgoing = https.request({
    agent,
    signal,
    method: 'POST',
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? 443 : Number(port),
    path,
    headers: { 'content-type': 'application/json', 'content-length': String(body.length) },
  });
  outgoing.end(body);
  return outgoing;
}

async function answerTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    outgoing.once('response', resolve);
    // Never removed: without it, an error after the response would crash the process.
    outgoing.on('error', reject);
  });
}

/** Closes idle connections at once, and those in use after their current request. */
function retire(agent: https.Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}
