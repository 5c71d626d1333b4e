import { Agent, createServer, request as requestHttps, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAuthority, type Identity } from '../control-plane/certificates';

/** The API server to which requests are passed on, and the identity used there. */
export interface Behind {
  readonly server: string;
  readonly caPem: string;
  readonly identity: Identity;
}

/** Whether a fault applies to a request. */
export type Fits = (request: { readonly method: string; readonly url: URL }) => boolean;

interface Fault {
  readonly fits: Fits;
  /** Whether the request still reaches the API server. */
  readonly isCarriedOut: boolean;
  /** Answers the sender in place of the API server. */
  readonly answer: (outgoing: ServerResponse) => void;
}

/** A proxy before the API server for one user. It delays watch events, refuses requests and loses answers. */
export class FaultyServer {
  /** The delay of watch events, from now on. */
  lagMs = 0;
  readonly #faults = new Set<Fault>();
  readonly caPem: string;
  readonly #server: Server;
  readonly #agent: Agent;

  static async start({ server, caPem, identity }: Behind): Promise<FaultyServer> {
    const authority = await createAuthority('faulty');
    const { certPem, keyPem } = await authority.issue({ commonName: 'faulty-server', ipAddresses: ['127.0.0.1'] });
    const agent = new Agent({ keepAlive: true, ca: caPem, cert: identity.certPem, key: identity.keyPem });
    const faulty = new FaultyServer(authority.caPem, agent, { cert: certPem, key: keyPem }, server);
    await new Promise<void>((resolve) => faulty.#server.listen(0, '127.0.0.1', resolve));
    return faulty;
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

  /**
   * Answers the next request that fits with this status, in place of the API server. Resolves once that has happened.
   */
  async refuseNext(fits: Fits, status: number, headers: Readonly<Record<string, string>>): Promise<void> {
    await new Promise<void>((resolve) => {
      const answer = (outgoing: ServerResponse): void => {
        outgoing.writeHead(status, headers).end();
        resolve();
      };
      this.#faults.add({ fits, isCarriedOut: false, answer });
    });
  }

  /**
   * Passes on the next request that fits, but loses its answer. `meanwhile` runs while the sender does not know the
   * outcome. Resolves once `meanwhile` is done.
   */
  async loseNextAnswer(fits: Fits, meanwhile: () => Promise<void>): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const answer = (outgoing: ServerResponse): void => {
        void meanwhile()
          .then(resolve, reject)
          .finally(() => outgoing.destroy());
      };
      this.#faults.add({ fits, isCarriedOut: true, answer });
    });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
    this.#agent.destroy();
  }

  #pass(url: URL, incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method = 'GET', headers } = incoming;
    const fault = this.#take({ method, url });
    if (fault && !fault.isCarriedOut) {
      incoming.resume();
      fault.answer(outgoing);
      return;
    }
    const passed = requestHttps(
      url,
      { method, agent: this.#agent, headers: { ...headers, host: url.host } },
      (answer) => {
        if (fault) {
          answer.resume();
          fault.answer(outgoing);
          return;
        }
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        if (url.searchParams.has('watch')) this.#passLate(answer, outgoing);
        else answer.pipe(outgoing);
      },
    );
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  }

  /** Removes the fault that it returns, so that each fault happens once. */
  #take(request: Parameters<Fits>[0]): Fault | undefined {
    const fault = [...this.#faults].find(({ fits }) => fits(request));
    if (fault) this.#faults.delete(fault);
    return fault;
  }

  /** Delays each chunk by the `lagMs` at its arrival. The order is kept as long as `lagMs` does not fall. */
  #passLate(answer: IncomingMessage, outgoing: ServerResponse): void {
    outgoing.flushHeaders();
    const later = (write: () => void): void => void setTimeout(write, this.lagMs).unref();
    answer.on('data', (chunk: Buffer) => later(() => outgoing.write(chunk)));
    answer.on('end', () => later(() => outgoing.end()));
    answer.on('error', () => outgoing.destroy());
  }
}
