import { errorMessage } from '../../shared/domain/errors';
import { ProtocolError } from '../../shared/kube/errors';
import { promise, requireFitToShow } from './target';

/** Splits a stream, or a list, into pieces. */
interface Splitter {
  push(chunk: Buffer): Iterable<Buffer>;
  end(): unknown;
}

/** The result of reading a stream. */
export interface StreamOutcome {
  readonly pieces: readonly Buffer[];
  /** The result of `end()`; undefined if the stream was refused. */
  readonly end: unknown;
  readonly isRefused: boolean;
}

/** Reads a stream whole, byte by byte, and cut in two at about 16 places. The result must always be the same. */
export function splitAnywhere(input: Buffer, newSplitter: () => Splitter): StreamOutcome {
  const whole = outcome([input], newSplitter());
  const isSame = (chunks: readonly Buffer[]): boolean => describe(outcome(chunks, newSplitter())) === describe(whole);
  promise(isSame(Array.from(input, (byte) => Buffer.from([byte]))), 'a stream that comes byte by byte gives the same');
  const step = Math.max(1, Math.floor(input.length / 16));
  for (let at = 1; at < input.length; at += step) {
    promise(isSame([input.subarray(0, at), input.subarray(at)]), 'a stream that is cut anywhere gives the same');
  }
  return whole;
}

function outcome(chunks: readonly Buffer[], splitter: Splitter): StreamOutcome {
  const pieces: Buffer[] = [];
  try {
    // A piece is only valid until the next push, so it is copied.
    for (const chunk of chunks) for (const piece of splitter.push(chunk)) pieces.push(Buffer.from(piece));
    return { pieces, end: splitter.end(), isRefused: false };
  } catch (thrown) {
    if (!(thrown instanceof ProtocolError)) throw thrown;
    requireFitToShow(errorMessage(thrown));
    return { pieces, end: undefined, isRefused: true };
  }
}

function describe({ pieces, end, isRefused }: StreamOutcome): string {
  return JSON.stringify([pieces.map((piece) => piece.toString('latin1')), end, isRefused]);
}
