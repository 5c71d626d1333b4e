import { attempt, promise, type Target } from '../target';
import { FrameReader, WebSocketError, type Frame } from '../../../cli/cluster/web-socket-frames';

function framesOf(...chunks: readonly Buffer[]): readonly Frame[] | undefined {
  const reader = new FrameReader();
  return attempt(() => chunks.flatMap((chunk) => [...reader.push(chunk)]), WebSocketError);
}

/** What a server sends on a forwarded port. */
export const target: Target = {
  seeds: [
    Buffer.from([0x82, 3, 0, 0x87, 0x23, 0x82, 5, 0, 72, 84, 84, 80, 0x89, 0, 0x88, 2, 3, 232]),
    Buffer.concat([Buffer.from([2, 126, 1, 44]), Buffer.alloc(300, 'x'), Buffer.from([0x80, 1, 1])]),
    Buffer.from([0x82, 127, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2]),
    Buffer.from([0x82, 0x81, 1, 2, 3, 4, 5]),
  ],
  run: (input) => {
    const whole = JSON.stringify(framesOf(input));
    const half = Math.floor(input.length / 2);
    const isSame = JSON.stringify(framesOf(input.subarray(0, half), input.subarray(half))) === whole;
    promise(isSame, 'a stream that is cut in two gives the same frames');
  },
};
