import https from 'node:https';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { ChannelPath } from '../../shared/domain/protocol/channel-names';
import { RerollError, errorMessage } from '../../shared/domain/errors';
import { readBody } from '../../shared/kube/client/response-body';
import { parseRetryAfter } from '../../shared/kube/client/retry-after';
import type { Clock } from '../../shared/runtime/clock';
import type { TlsMaterialSource } from '../../shared/runtime/tls/tls-material';
import type { ChannelAnswer, ChannelTransport } from './channel-transport';

export interface ChannelHttpsTransportOptions {
  readonly clock: Clock;
  /** The client's certificate, and the CA of the reconcilers'. */
  readonly tls: TlsMaterialSource;
  /** The name that a reconciler's certificate must have: its address is a pod's, which no certificate names. */
  readonly serverName: string;
}

type Post = Parameters<ChannelTransport['post']>;

/** No reconciler was reached. */
export class ChannelError extends RerollError {
  constructor(address: string, cause: unknown) {
    super(`reconciler ${address}: ${errorMessage(cause)}`, { code: 'CHANNEL_UNREACHABLE', cause });
  }
}

/** A replica gets one batch at a time; a second connection is for one that hangs, the others are for questions. */
const maxSocketsPerReplica = 4;

/** A reconciler names a few workloads, and no more. */
export const maxAnswerBytes = 64 * 1024;

/** HTTP/1.1 over mutual TLS on connections that are kept. */
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
   * Sends again where a kept connection ended just then: reconcilers end theirs by age and with each new certificate. A
   * question may be asked twice, and a reconciler knows a record that it has had.
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
      ...{ cert, key, ca },
      servername: serverName,
      minVersion: 'TLSv1.2',
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
    // Stays for good: an error after the response must not be an uncaught one.
    outgoing.on('error', reject);
  });
}

/** Connections in use end with what they carry. */
function retire(agent: https.Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}
