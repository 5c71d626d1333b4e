import { availableParallelism } from 'node:os';
import { runBatch, seedsFrom } from './batch';
import type { ProvableBug } from './provable-bugs';
import { drawWorld } from './world';

/** The number of seeds within which each bug is promised to be found. */
const promisedSeeds = 2_000;

/** The seed of a world in which the bug breaks a promise; undefined if none of `seeds` has one. */
export async function firstSeedThatFinds(bug: ProvableBug, seeds: readonly number[]): Promise<number | undefined> {
  let found: number | undefined;
  const worlds = seeds.filter((seed) => bug.among(drawWorld(seed)));
  const report = ({ seed, violations }: { readonly seed: number; readonly violations: readonly string[] }) => {
    if (violations.length === 0) return undefined;
    found ??= seed;
    return 'enough' as const;
  };
  await runBatch(worlds, availableParallelism(), report, bug);
  return found;
}

/** Looks for each bug and reports it in one line. Returns how many bugs no seed finds. */
export async function prove(
  bugs: readonly ProvableBug[],
  say: (line: string) => void,
  seeds = promisedSeeds,
): Promise<number> {
  let missed = 0;
  for (const bug of bugs) {
    const seed = await firstSeedThatFinds(bug, seedsFrom(1, seeds));
    if (seed === undefined) missed += 1;
    say(seed === undefined ? `NOT FOUND in ${String(seeds)} seeds: ${bug.what}` : `found by seed ${seed}: ${bug.what}`);
  }
  return missed;
}
