import { createHash } from 'node:crypto';
import { RerollError } from '../../shared/domain/errors';

/** What a frame is, as far as a port-forward needs it (RFC 6455, 5.2). */
export const opcodes = { more: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface Frame {
  readonly opcode: number;
  /** The last frame of a message. */
  readonly isLast: boolean;
  readonly payload: Buffer;
}

/** The other end breaks the protocol of WebSockets. */
export class WebSocketError extends RerollError {
  constructor(message: string) {
    super(message, { code: 'WEB_SOCKET' });
  }
}

/** No server of ours sends more at once. */
const maxFrameBytes = 16 * 1024 * 1024;

/** The header with which a server shows that it has understood the key of the client (RFC 6455, 4.2.2). */
export function acceptOf(key: string): string {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
}

/** A frame of a client, which must mask what it sends with four random bytes. */
export function clientFrame(opcode: number, payload: Buffer, mask: Buffer): Buffer {
  const isLast = 0x80;
  const isMasked = 0x80;
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = isLast | opcode;
  head[1] = isMasked | (length < 126 ? length : length < 65_536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, mask, payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0))]);
}

/** Finds the frames of a server in what arrives, wherever it is cut. */
export class FrameReader {
  #bytes: Buffer = Buffer.alloc(0);

  /** @throws WebSocketError */
  *push(chunk: Buffer): Generator<Frame> {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    for (let frame = this.#take(); frame; frame = this.#take()) yield frame;
  }

  #take(): Frame | undefined {
    const bytes = this.#bytes;
    if (bytes.length < 2) return undefined;
    const [first = 0, second = 0] = bytes;
    if ((second & 0x80) !== 0) throw new WebSocketError('the server masks its frames');
    const short = second & 0x7f;
    const headLength = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (bytes.length < headLength) return undefined;
    const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
    if (length > maxFrameBytes) throw new WebSocketError(`a frame has ${length} bytes`);
    const end = headLength + length;
    if (bytes.length < end) return undefined;
    this.#bytes = bytes.subarray(end);
    return { opcode: first & 0x0f, isLast: (first & 0x80) !== 0, payload: bytes.subarray(headLength, end) };
  }
}
