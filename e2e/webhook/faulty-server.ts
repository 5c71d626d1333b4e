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

/** Whether a request is the one that is meant. */
export type Fits = (request: { readonly method: string; readonly url: URL }) => boolean;

interface Fault {
  readonly fits: Fits;
  /** Whether the API server hears of it. */
  readonly isCarriedOut: boolean;
  /** What its sender gets instead of the API server's answer. */
  readonly answer: (outgoing: ServerResponse) => void;
}

/** Stands before the API server for one user: holds back what watches bring, refuses requests and loses answers. */
export class FaultyServer {
  /** How late what a watch brings arrives, from now on. */
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

  /** Resolves once the next request that fits was answered with this status in the place of the API server. */
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
   * Resolves once the next request that fits was carried out and its answer lost. `meanwhile` is done between the two: its
   * sender does not know yet.
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

  /** A fault happens once. */
  #take(request: Parameters<Fits>[0]): Fault | undefined {
    const fault = [...this.#faults].find(({ fits }) => fits(request));
    if (fault) this.#faults.delete(fault);
    return fault;
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
