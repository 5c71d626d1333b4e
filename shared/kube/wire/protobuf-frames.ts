import { ByteQueue } from './byte-queue';
import { ProtocolError } from '../errors';
import { requireObjectSize } from './decoder';

const lengthBytes = 4;

/** Splits the body of a protobuf watch into frames: a 4-byte big-endian length, followed by that many bytes. */
export class ProtobufFrames {
  readonly #queue = new ByteQueue();

  /** Each frame must be used before the next chunk arrives. @throws ProtocolError if a frame is too long. */
  *push(chunk: Buffer): Generator<Buffer> {
    this.#queue.append(chunk);
    while (this.#queue.length >= lengthBytes) {
      const frameBytes = this.#queue.peekUint32();
      requireObjectSize(frameBytes);
      if (this.#queue.length < lengthBytes + frameBytes) return;
      this.#queue.discard(lengthBytes);
      yield this.#queue.take(frameBytes);
    }
  }

  /** @throws ProtocolError if the stream ended within a frame. */
  end(): void {
    if (this.#queue.length > 0)
      throw new ProtocolError(`the stream ended within a frame, after ${this.#queue.length} bytes`);
  }
}
