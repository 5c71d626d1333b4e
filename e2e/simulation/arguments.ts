/** What the arguments of `npm run sim` ask for. */
export type Asked =
  | { readonly kind: 'batch'; readonly from: number; readonly seeds: number }
  | { readonly kind: 'one'; readonly seed: number; readonly story: boolean }
  | { readonly kind: 'prove'; readonly share: Share };

/** Every `of`-th bug, beginning with index `first`. */
export interface Share {
  readonly first: number;
  readonly of: number;
}

export class UsageError extends Error {}

const usage = 'usage: npm run sim -- --seeds N [--from K|today] | --seed K [--story] | --prove [today]';
const defaultSeeds = 300;

/** `--prove today` has proved every planted bug after this many days. */
const daysOfProof = 10;
const dayMs = 24 * 60 * 60_000;

/** The number of seeds that belong to one day. */
const seedsOfDay = 1_000;

/**
 * `--from today` begins at a seed derived from `today`. `--prove today` takes a tenth of the bugs, another tenth each
 * day.
 * @throws UsageError for an unknown argument, a value that is not a whole number, or arguments that exclude each other.
 */
export function parseArguments(args: readonly string[], today: Date): Asked {
  if (args.length === 1 && args[0] === '--prove') return { kind: 'prove', share: { first: 0, of: 1 } };
  if (args.length === 2 && args[0] === '--prove' && args[1] === 'today') {
    return { kind: 'prove', share: { first: Math.floor(today.getTime() / dayMs) % daysOfProof, of: daysOfProof } };
  }
  const numbers = new Map<string, number>();
  let story = false;
  for (let index = 0; index < args.length; index++) {
    const flag = args[index] ?? '';
    if (flag === '--story') {
      story = true;
      continue;
    }
    if (!['--seeds', '--seed', '--from'].includes(flag)) throw new UsageError(`unknown argument "${flag}"; ${usage}`);
    const text = args[++index] ?? '';
    if (flag === '--from' && text === 'today') {
      numbers.set(flag, firstSeedOf(today));
      continue;
    }
    if (!/^\d{1,12}$/.test(text)) throw new UsageError(`${flag} takes a whole number, not "${text}"; ${usage}`);
    numbers.set(flag, Number(text));
  }
  const seed = numbers.get('--seed');
  if (seed === undefined) {
    if (story) throw new UsageError(`--story needs --seed; ${usage}`);
    return { kind: 'batch', from: numbers.get('--from') ?? 1, seeds: numbers.get('--seeds') ?? defaultSeeds };
  }
  if (numbers.size > 1) throw new UsageError(`--seed goes with neither --seeds nor --from; ${usage}`);
  return { kind: 'one', seed, story };
}

/** The first seed of a day in UTC: 20261123000 for 23 November 2026. */
function firstSeedOf(day: Date): number {
  return Number(day.toISOString().slice(0, 10).replaceAll('-', '')) * seedsOfDay;
}
