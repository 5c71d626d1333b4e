import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TlsMaterial } from '../../../shared/runtime/tls/tls-material';

/** Stands where a reconciler does: takes every batch of change records, and does nothing with it. */
export class RecordSink {
  readonly #server: https.Server;

  private constructor(server: https.Server) {
    this.#server = server;
  }

  static async start({ cert, key, ca }: TlsMaterial): Promise<RecordSink> {
    const server = https.createServer({ cert, key, ca, requestCert: true }, (request, response) => {
      request.resume().on('end', () => response.writeHead(202).end('{"accepted":1,"refused":0}'));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new RecordSink(server);
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
