import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';

/** A process that a test can signal, and whose log it reads. */
export class FakeProcess extends EventEmitter {
  readonly stdout = new PassThrough();
  readonly exited: Promise<number>;
  exit: (code: number) => void = () => undefined;
  /** All that was logged. */
  log = '';

  constructor() {
    super();
    this.exited = new Promise((resolve) => (this.exit = resolve));
    this.stdout.on('data', (chunk: Buffer) => (this.log += chunk.toString()));
  }

  /** The field of the first line with this message, past or to come. */
  async field(message: string, field: string): Promise<string> {
    for (;;) {
      const lines = this.log.split('\n').filter((text) => text.endsWith('}'));
      const found = lines
        .map((text) => JSON.parse(text) as Record<string, unknown>)
        .find((line) => line['message'] === message);
      if (found) return String(found[field]);
      await new Promise((resolve) => this.stdout.once('data', resolve));
    }
  }
}
