import type { Server, Socket } from 'node:net';

/** The connections of a server, also those that have not finished their handshake, of which an HTTP server does not know. */
export class OpenSockets {
  readonly #sockets = new Set<Socket>();

  constructor(server: Pick<Server, 'on'>) {
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  /** Cuts them all, whatever they are at. */
  destroy(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
