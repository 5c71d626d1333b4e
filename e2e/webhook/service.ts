import { connect, createServer, type Server } from 'node:net';

/**
 * Does what a Service does for webhooks: new connections go to a ready one, existing connections stay where they are.
 */
export class Service {
  /** The port of the webhook that gets new connections; if undefined, new connections are closed. */
  endpoint: number | undefined;
  readonly #server: Server = createServer((incoming) => {
    if (this.endpoint === undefined) {
      incoming.destroy();
      return;
    }
    const outgoing = connect(this.endpoint, '127.0.0.1');
    incoming.pipe(outgoing).pipe(incoming);
    incoming.on('error', () => outgoing.destroy());
    outgoing.on('error', () => incoming.destroy());
  });

  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
  }

  close(): void {
    this.#server.close();
  }
}
