import { errorMessage, type RerollError } from '../../shared/domain/errors';
import { MalformedObjectError } from '../../shared/domain/kubernetes/malformed-object-error';

/** Something that reads foreign bytes, as the fuzzer calls it. */
export interface Target {
  /** What usually comes: mutations of it get further than noise would. */
  readonly seeds: readonly (Buffer | string)[];
  /** Those that have to be made. */
  readonly moreSeeds?: () => Promise<readonly (Buffer | string)[]>;
  /** Words of its format that no source file of ours holds. */
  readonly dictionary?: readonly string[];
  /** How mutations take an input apart; JSON is found out by trying. */
  readonly format?: 'protobuf';
  /** Of one input; by default {@link usualMaxBytes}. */
  readonly maxBytes?: number;
  /** Processor time of one input; by default {@link usualMaxMs}. */
  readonly maxMs?: number;
  /** Rejects or throws where the input brings about what no input may. */
  readonly run: (input: Buffer) => void | Promise<void>;
}

/** What a target looks at beyond the parser itself is for inputs up to this size: of larger ones the cost counts. */
export function isHandy(input: Buffer): boolean {
  return input.length <= 4 * 1024;
}

/** All inputs to begin with. */
export async function seedsOf({ seeds, moreSeeds }: Target): Promise<readonly Buffer[]> {
  const all = [...seeds, ...((await moreSeeds?.()) ?? [])];
  return all.map((seed) => (typeof seed === 'string' ? Buffer.from(seed) : seed));
}

export const usualMaxBytes = 64 * 1024;
export const usualMaxMs = 50;

/** Stands in the values of Secrets that targets are given, and so may stand in nothing that they say. */
export const secretMarker = 'hunter2hunter2';

/** Of a message that ends up in a log line, an Event or a warning. */
const maxMessageLength = 2_048;

/** What a parser promises did not hold. */
export class BrokenPromise extends Error {}

export function promise(holds: boolean, sentence: string): void {
  if (!holds) throw new BrokenPromise(sentence);
}

type ErrorClass = abstract new (...args: never) => RerollError;

/** What `read` gives; undefined where it throws one of the errors that its documentation names. */
export function attempt<T>(read: () => T, ...documented: readonly ErrorClass[]): T | undefined {
  try {
    return read();
  } catch (thrown) {
    requireDocumented(thrown, documented);
    return undefined;
  }
}

/** As {@link attempt}, of what is not done at once. */
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

/** For what is shown to people: of bounded length, and without content of a Secret. */
export function requireFitToShow(text: string, what = 'a message'): void {
  promise(text.length <= maxMessageLength, `${what} has ${text.length} characters`);
  promise(!tells(text), `${what} tells content of a Secret`);
}

/** For what is kept or sent, of any length. */
export function requireNoSecret(value: object, what: string): void {
  promise(!tells(JSON.stringify(value)), `${what} tells content of a Secret`);
}

/** Undefined where the input is no JSON, which is for the caller of a parser to find out. */
export function jsonOf(input: Buffer): unknown {
  try {
    return JSON.parse(input.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

function requireDocumented(thrown: unknown, documented: readonly ErrorClass[]): void {
  if (!documented.some((known) => thrown instanceof known)) throw thrown;
  // Bytes of a Secret that are moved to where its name stands are a name from then on.
  if (thrown instanceof MalformedObjectError && tells(thrown.key ?? '')) return;
  requireFitToShow(errorMessage(thrown));
}

const encodedMarker = Buffer.from(secretMarker).toString('base64').slice(0, 16);

export function tells(text: string): boolean {
  return text.includes(secretMarker) || text.includes(encodedMarker);
}
