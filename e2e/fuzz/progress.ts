import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';

/** Three numbers of 32 bits: executions, steps (executions and other runs), and the length of the input in bytes. */
const headerBytes = 12;

/**
 * Records in a file what a child process is running: it may hang or die before it can say so. A file that is written
 * and read at once never leaves memory.
 */
export class ProgressWriter {
  readonly #file: number;
  #buffer = Buffer.alloc(64 * 1024);
  #executions = 0;
  #steps = 0;

  constructor(path: string) {
    this.#file = openSync(path, 'w');
  }

  get executions(): number {
    return this.#executions;
  }

  /** Records an execution of an input. */
  begin(input: Buffer): void {
    this.#executions += 1;
    this.step(input);
  }

  /** Records that an input is run again, to be judged; this does not count as an execution. */
  step(input: Buffer): void {
    const bytes = headerBytes + input.length;
    if (bytes > this.#buffer.length) this.#buffer = Buffer.alloc(2 * bytes);
    this.#buffer.writeUInt32LE(this.#executions, 0);
    this.#buffer.writeUInt32LE((this.#steps += 1), 4);
    this.#buffer.writeUInt32LE(input.length, 8);
    input.copy(this.#buffer, headerBytes);
    writeSync(this.#file, this.#buffer, 0, bytes, 0);
  }

  close(): void {
    closeSync(this.#file);
  }
}

export interface Progress {
  readonly executions: number;
  /** Changes as long as the process makes progress. */
  readonly steps: number;
  /** The input that was started last. */
  readonly input: Buffer;
}

/** Reads what the writer left, however its process ended. */
export function readProgress(path: string): Progress {
  const bytes = readFileSync(path, { flag: 'a+' });
  if (bytes.length < headerBytes) return { executions: 0, steps: 0, input: Buffer.alloc(0) };
  const input = bytes.subarray(headerBytes, headerBytes + bytes.readUInt32LE(8));
  return { executions: bytes.readUInt32LE(0), steps: bytes.readUInt32LE(4), input };
}

export function removeProgress(path: string): void {
  rmSync(path, { force: true });
}
