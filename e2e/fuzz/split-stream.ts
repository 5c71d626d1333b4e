import { errorMessage } from '../../shared/domain/errors';
import { ProtocolError } from '../../shared/kube/errors';
import { promise, requireFitToShow } from './target';

/** A splitter of a stream, or of a list. */
interface Splitter {
  push(chunk: Buffer): Iterable<Buffer>;
  end(): unknown;
}

/** What came out of a stream. */
export interface StreamOutcome {
  readonly pieces: readonly Buffer[];
  /** Of the end; undefined where the stream is refused. */
  readonly end: unknown;
  readonly isRefused: boolean;
}

/**
 * Reads a stream whole, byte by byte, and cut in two at places all over it: it must make no difference.
 */
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
    // What a splitter gives holds until it is given more.
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
