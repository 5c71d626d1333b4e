import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';

/** A fake process that a test can signal and whose log it can read. */
export class FakeProcess extends EventEmitter {
  readonly stdout = new PassThrough();
  readonly exited: Promise<number>;
  exit: (code: number) => void = () => undefined;
  /** Everything logged so far. */
  log = '';

  constructor() {
    super();
    this.exited = new Promise((resolve) => (this.exit = resolve));
    this.stdout.on('data', (chunk: Buffer) => (this.log += chunk.toString()));
  }

  /** Resolves with a field of the first log line with this message, past or future. */
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
