import { Agent, createServer, request as requestHttps, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAuthority, type Identity } from '../control-plane/certificates';

/** Whose requests it passes on, and where to. */
export interface Behind {
  readonly server: string;
  readonly caPem: string;
  readonly identity: Identity;
}

/** Stands before the API server for one user, whose watches it can hold back; everything else passes at once. */
export class LaggingServer {
  /** How late what a watch brings arrives, from now on. */
  lagMs = 0;
  readonly caPem: string;
  readonly #server: Server;
  readonly #agent: Agent;

  static async start({ server, caPem, identity }: Behind): Promise<LaggingServer> {
    const authority = await createAuthority('lagging');
    const { certPem, keyPem } = await authority.issue({ commonName: 'lagging-server', ipAddresses: ['127.0.0.1'] });
    const agent = new Agent({ keepAlive: true, ca: caPem, cert: identity.certPem, key: identity.keyPem });
    const lagging = new LaggingServer(authority.caPem, agent, { cert: certPem, key: keyPem }, server);
    await new Promise<void>((resolve) => lagging.#server.listen(0, '127.0.0.1', resolve));
    return lagging;
  }

  private constructor(caPem: string, agent: Agent, tls: object, target: string) {
    this.caPem = caPem;
    this.#agent = agent;
    this.#server = createServer(tls, (incoming, outgoing) =>
      this.#pass(new URL(incoming.url ?? '', target), incoming, outgoing),
    );
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
    this.#agent.destroy();
  }

  #pass(url: URL, incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method = 'GET', headers } = incoming;
    const passed = requestHttps(
      url,
      { method, agent: this.#agent, headers: { ...headers, host: url.host } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        if (url.searchParams.has('watch')) this.#passLate(answer, outgoing);
        else answer.pipe(outgoing);
      },
    );
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  }

  /** In order, each as late as was asked for when it came. */
  #passLate(answer: IncomingMessage, outgoing: ServerResponse): void {
    outgoing.flushHeaders();
    const later = (write: () => void): void => void setTimeout(write, this.lagMs).unref();
    answer.on('data', (chunk: Buffer) => later(() => outgoing.write(chunk)));
    answer.on('end', () => later(() => outgoing.end()));
    answer.on('error', () => outgoing.destroy());
  }
}
