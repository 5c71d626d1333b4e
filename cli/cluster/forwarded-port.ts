import { Duplex } from 'node:stream';
import { errorMessage } from '../../shared/domain/errors';
import { printable } from '../../shared/domain/text/printable';
import { ConnectionError } from '../../shared/kube/errors';
import type { Random } from '../../shared/runtime/random';
import { clientFrame, FrameReader, opcodes, type Frame } from './web-socket-frames';

/** The first byte of each message names a channel. Both begin with the number of the port, in two bytes. */
const channels = { data: 0, error: 1 } as const;
const portBytes = 2;

const maxErrorBytes = 4_096;

/** The kubelet could not connect to the port in the pod. */
export class PortRefusedError extends ConnectionError {}

/**
 * The bytes of one port of a pod, on a connection that speaks the WebSocket protocol `v4.channel.k8s.io`.
 *
 * @see https://github.com/kubernetes/kubelet/blob/master/pkg/cri/streaming/portforward/websocket.go
 */
export class ForwardedPort extends Duplex {
  readonly #socket: Duplex;
  readonly #random: Random;
  readonly #frames = new FrameReader();
  /** The channel of the message that is being received, after its first frame. */
  #channel: number | undefined;
  /** How many bytes of the port's number each channel has yet to send. */
  readonly #awaited = new Map<number, number>([
    [channels.data, portBytes],
    [channels.error, portBytes],
  ]);
  #problem = '';

  constructor(socket: Duplex, random: Random) {
    super();
    this.#socket = socket;
    this.#random = random;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', (error) => this.destroy(new ConnectionError(error.message, error)));
    socket.on('close', () => this.#end());
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#socket.write(this.#frame(opcodes.binary, Buffer.concat([Buffer.from([channels.data]), chunk])), done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    // The other end may never close, and the process must not wait for it.
    const gone = (): void => void this.#socket.destroy();
    if (this.#socket.writable) this.#socket.end(this.#frame(opcodes.close, Buffer.alloc(0)), gone);
    else gone();
    done(error);
  }

  #receive(chunk: Buffer): void {
    try {
      for (const frame of this.#frames.push(chunk)) this.#take(frame);
    } catch (thrown) {
      this.destroy(new ConnectionError(errorMessage(thrown), thrown));
    }
  }

  #take({ opcode, isLast, payload }: Frame): void {
    if (opcode === opcodes.ping) this.#socket.write(this.#frame(opcodes.pong, payload));
    if (opcode === opcodes.close) this.#end();
    if (opcode >= opcodes.close || opcode === opcodes.text) return;
    const isFirst = this.#channel === undefined;
    const channel = this.#channel ?? payload[0];
    this.#channel = isLast ? undefined : channel;
    if (channel !== undefined) this.#takeOf(channel, isFirst ? payload.subarray(1) : payload);
  }

  #takeOf(channel: number, bytes: Buffer): void {
    const awaited = Math.min(bytes.length, this.#awaited.get(channel) ?? 0);
    this.#awaited.set(channel, (this.#awaited.get(channel) ?? 0) - awaited);
    const content = bytes.subarray(awaited);
    if (content.length === 0) return;
    if (channel === channels.data && !this.push(content)) this.#socket.pause();
    if (channel === channels.error) this.#problem = (this.#problem + content.toString()).slice(0, maxErrorBytes);
  }

  #end(): void {
    if (this.#problem === '') this.push(null);
    else this.destroy(new PortRefusedError(printable(this.#problem.trim())));
  }

  #frame(opcode: number, payload: Buffer): Buffer {
    return clientFrame(opcode, payload, this.#random.bytes(4));
  }
}
