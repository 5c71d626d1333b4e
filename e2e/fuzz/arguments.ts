import { parseArgs } from 'node:util';
import { errorMessage } from '../../shared/domain/errors';

/** What `npm run fuzz` was asked for. */
export type Asked =
  | { readonly kind: 'list' }
  | { readonly kind: 'replay'; readonly target: string; readonly file: string }
  | {
      readonly kind: 'fuzz';
      readonly targets: readonly string[];
      /** For all targets together. */
      readonly minutes: number;
      readonly seed: number;
      /** Stores the inputs that reach every covered block as the corpus that tests replay. */
      readonly store: boolean;
    };

export class UsageError extends Error {}

const defaultMinutes = 5;

/**
 * `args`: the arguments of the process, without interpreter and script; `known`: the names of all targets.
 *
 * @throws UsageError with the problem and the usage.
 */
export function parseArguments(args: readonly string[], known: readonly string[]): Asked {
  const { list, target, replay, minutes, seed, store } = parsed(args);
  if (list === true) return { kind: 'list' };
  if (target !== undefined && !known.includes(target)) throw refused(`there is no target "${target}"`);
  if (replay !== undefined) {
    if (target === undefined) throw refused('--replay needs the --target that is to read the file');
    return { kind: 'replay', target, file: replay };
  }
  return {
    kind: 'fuzz',
    targets: target === undefined ? known : [target],
    minutes: minutesOf(minutes),
    seed: seedOf(seed),
    store: store === true,
  };
}

function minutesOf(text: string | undefined): number {
  const minutes = Number(text ?? defaultMinutes);
  if (!(minutes > 0 && minutes <= 24 * 60))
    throw refused(`--minutes=${text ?? ''}: give a number above 0, of a day at most`);
  return minutes;
}

function seedOf(text = '1'): number {
  if (!/^\d{1,9}$/.test(text)) throw refused(`--seed=${text}: give a whole number`);
  return Number(text);
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        list: { type: 'boolean' },
        store: { type: 'boolean' },
        target: { type: 'string' },
        replay: { type: 'string' },
        minutes: { type: 'string' },
        seed: { type: 'string' },
      },
    }).values;
  } catch (error) {
    throw refused(errorMessage(error));
  }
}

function refused(problem: string): UsageError {
  return new UsageError(`${problem}\n${usage}`);
}

const usage = [
  'usage: npm run fuzz -- [--minutes N] [--target NAME] [--seed K] [--store] | --target NAME --replay FILE | --list',
  `  --minutes  for all targets together; ${defaultMinutes} otherwise`,
  '  --target   one of them; otherwise one after the other, for the same time each',
  '  --seed     another way through the inputs; 1 otherwise',
  '  --store    keep what was reached in e2e/fuzz/corpus, which the tests replay',
  '  --replay   run one input that was saved',
  '  --list     name the targets',
].join('\n');
