import { errorMessage, type RerollError } from '../../shared/domain/errors';
import { MalformedObjectError } from '../../shared/domain/kubernetes/malformed-object-error';

/** A parser of untrusted bytes, in the form that the fuzzer calls. */
export interface Target {
  /** Typical inputs. Their mutations get further than noise would. */
  readonly seeds: readonly (Buffer | string)[];
  /** Seeds that must be generated. */
  readonly moreSeeds?: () => Promise<readonly (Buffer | string)[]>;
  /** Words of the format that no source file of ours contains. */
  readonly dictionary?: readonly string[];
  /** The format that mutations decode. JSON is detected by trying. */
  readonly format?: 'protobuf';
  /** The size limit for one input; by default {@link usualMaxBytes}. */
  readonly maxBytes?: number;
  /** The CPU time limit for one input; by default {@link usualMaxMs}. */
  readonly maxMs?: number;
  /** Throws or rejects if the input makes the parser misbehave. */
  readonly run: (input: Buffer) => void | Promise<void>;
}

/**
 * Whether an input is small enough for checks beyond the parser itself. Of larger inputs, only the cost of parsing
 * counts.
 */
export function isHandy(input: Buffer): boolean {
  return input.length <= 4 * 1024;
}

/** All inputs to begin with, generated ones included. */
export async function seedsOf({ seeds, moreSeeds }: Target): Promise<readonly Buffer[]> {
  const all = [...seeds, ...((await moreSeeds?.()) ?? [])];
  return all.map((seed) => (typeof seed === 'string' ? Buffer.from(seed) : seed));
}

export const usualMaxBytes = 64 * 1024;
export const usualMaxMs = 50;

/** The value of all Secrets that targets are given. Nothing that a target says may contain it. */
export const secretMarker = 'hunter2hunter2';

/** The length limit for a message that ends up in a log line, an Event or a warning. */
const maxMessageLength = 2_048;

/** A promise of a parser that does not hold. */
export class BrokenPromise extends Error {}

export function promise(holds: boolean, sentence: string): void {
  if (!holds) throw new BrokenPromise(sentence);
}

type ErrorClass = abstract new (...args: never) => RerollError;

/** The result of `read`; undefined if it throws one of its documented errors. */
export function attempt<T>(read: () => T, ...documented: readonly ErrorClass[]): T | undefined {
  try {
    return read();
  } catch (thrown) {
    requireDocumented(thrown, documented);
    return undefined;
  }
}

/** Like {@link attempt}, for asynchronous work. */
export async function attemptLater<T>(
  read: () => Promise<T>,
  ...documented: readonly ErrorClass[]
): Promise<T | undefined> {
  try {
    return await read();
  } catch (thrown) {
    requireDocumented(thrown, documented);
    return undefined;
  }
}

/** Requires that a text shown to people is of bounded length and without content of a Secret. */
export function requireFitToShow(text: string, what = 'a message'): void {
  promise(text.length <= maxMessageLength, `${what} has ${text.length} characters`);
  promise(!tells(text), `${what} tells content of a Secret`);
}

/** Requires that a value that is kept or sent has no content of a Secret. It may have any length. */
export function requireNoSecret(value: object, what: string): void {
  promise(!tells(JSON.stringify(value)), `${what} tells content of a Secret`);
}

/** The input as JSON; undefined if it is not JSON, which callers of a parser rule out. */
export function jsonOf(input: Buffer): unknown {
  try {
    return JSON.parse(input.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

function requireDocumented(thrown: unknown, documented: readonly ErrorClass[]): void {
  if (!documented.some((known) => thrown instanceof known)) throw thrown;
  // If a mutation moved bytes of a Secret to where its name is, they count as its name.
  if (thrown instanceof MalformedObjectError && tells(thrown.key ?? '')) return;
  requireFitToShow(errorMessage(thrown));
}

const encodedMarker = Buffer.from(secretMarker).toString('base64').slice(0, 16);

export function tells(text: string): boolean {
  return text.includes(secretMarker) || text.includes(encodedMarker);
}
