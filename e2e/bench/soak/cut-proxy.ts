import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Stands between a process and its API server, and cuts all connections when it is told to. TLS passes through. */
export class CutProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(target: URL) {
    this.#server = createServer((inbound) => {
      const outbound = connect(Number(target.port), target.hostname);
      for (const [one, other] of [
        [inbound, outbound],
        [outbound, inbound],
      ] as const) {
        this.#sockets.add(one);
        one.setNoDelay(true);
        one.pipe(other);
        one.on('error', () => other.destroy());
        one.on('close', () => {
          this.#sockets.delete(one);
          other.destroy();
        });
      }
    });
  }

  /** In front of the server at this URL. */
  static async start(url: string): Promise<CutProxy> {
    const proxy = new CutProxy(new URL(url));
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Ends every connection as a broken network does: without a word of TLS. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  close(): void {
    this.#server.close();
    this.cut();
  }
}
