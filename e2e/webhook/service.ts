import { connect, createServer, type Server } from 'node:net';

/** What a Service does for webhooks: new connections go to one that is ready, those that there are stay where they are. */
export class Service {
  /** Where the webhook is that gets new connections; undefined: there is none, and they are closed. */
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
