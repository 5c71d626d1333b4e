import { ProtocolError } from '../errors';
import { requireObjectSize } from './decoder';

const newline = 0x0a;

/** Splits a stream into lines, without their newlines; empty lines are skipped. */
export class JsonLines {
  /** Chunks of the unfinished line. */
  #begun: Buffer[] = [];
  #begunBytes = 0;

  /** @throws ProtocolError if a line is too long. */
  *push(chunk: Buffer): Generator<Buffer> {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const line = this.#complete(chunk.subarray(start, end));
      start = end + 1;
      if (line.length > 0) yield line;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** @throws ProtocolError if the stream ended within a line. */
  end(): void {
    if (this.#begunBytes > 0)
      throw new ProtocolError(`the stream ended within a line, after ${this.#begunBytes} bytes`);
  }

  #keep(part: Buffer): void {
    this.#begunBytes += part.length;
    requireObjectSize(this.#begunBytes);
    this.#begun.push(part);
  }

  #complete(last: Buffer): Buffer {
    if (this.#begunBytes === 0) {
      requireObjectSize(last.length);
      return last;
    }
    this.#keep(last);
    const line = Buffer.concat(this.#begun, this.#begunBytes);
    this.#begun = [];
    this.#begunBytes = 0;
    return line;
  }
}
