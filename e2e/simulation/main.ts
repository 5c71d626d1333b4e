import { availableParallelism } from 'node:os';
import { parseArguments, UsageError, type Asked, type Share } from './arguments';
import { runBatch, seedsFrom } from './batch';
import { prove } from './prove';
import { proveTests } from './prove-tests';
import { provableBugs } from './provable-bugs';
import { shrink } from './shrink';
import { simulate, type Outcome } from './simulation';
import { situations, type Situation } from './situations';
import { testedMutants } from './tested-mutants';
import { drawWorld } from './world';

/** The rarest situation occurs once in a thousand worlds, so a smaller batch may miss it by chance. */
const seedsForAllSituations = 10_000;
/** This many seeds, from 1 on, reach every situation. CI demands it, so a change to the draws must keep it true. */
const firstSeedsForAllSituations = 2_000;

async function main(args: readonly string[]): Promise<number> {
  let asked: Asked;
  try {
    asked = parseArguments(args, new Date());
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    return 2;
  }
  switch (asked.kind) {
    case 'one':
      return await runOne(asked.seed, asked.story);
    case 'batch':
      return await runMany(asked.from, asked.seeds);
    case 'prove':
      return await proveShare(asked.share);
  }
}

async function proveShare({ first, of }: Share): Promise<number> {
  const say = (line: string): void => console.log(line);
  const isOfShare = (_bug: unknown, index: number): boolean => index % of === first;
  const [tested, provable] = [testedMutants.filter(isOfShare), provableBugs.filter(isOfShare)];
  const missed = (await proveTests(tested, say)) + (await prove(provable, say));
  const planted = tested.length + provable.length;
  console.log(`${planted - missed} of ${planted} found`);
  return missed > 0 ? 1 : 0;
}

async function runMany(from: number, seeds: number): Promise<number> {
  console.log(`seeds ${from} to ${from + seeds - 1}`);
  const startMs = performance.now();
  const reached = new Set<Situation>();
  let failed = 0;
  await runBatch(seedsFrom(from, seeds), availableParallelism(), ({ seed, violations, situations: met }) => {
    for (const situation of met) reached.add(situation);
    if (violations.length > 0) {
      failed += 1;
      console.log(`seed ${seed}: ${violations.join('; ')}`);
    }
    return undefined;
  });
  const seconds = (performance.now() - startMs) / 1000;
  const missing = situations.filter((situation) => !reached.has(situation));
  for (const situation of missing) console.log(`not reached: ${situation}`);
  console.log(`${(seeds / seconds).toFixed(1)} seeds a second`);
  console.log(`${seeds - failed} passed, ${failed} failed`);
  const demanded = from === 1 ? firstSeedsForAllSituations : seedsForAllSituations;
  return failed > 0 || (seeds >= demanded && missing.length > 0) ? 1 : 0;
}

/** Runs one seed. If it fails, reports the smallest world that fails in the same way. */
async function runOne(seed: number, story: boolean): Promise<number> {
  const world = drawWorld(seed);
  const outcome = await simulate(world);
  const [first] = outcome.violations;
  if (first === undefined) {
    if (story) console.log(outcome.story.join('\n'));
    console.log(`seed ${seed} passes`);
    return 0;
  }
  sayViolations(outcome);
  const smallest = await shrink(world, first.promise);
  const ofSmallest = await simulate(smallest);
  console.log(`${smallest.steps.length} steps and ${smallest.weather.length} faults are enough:`);
  for (const { kind, atMs } of smallest.steps) console.log(`  ${kind} at ${atMs} ms`);
  for (const { kind, fromMs, toMs, resource } of smallest.weather) {
    console.log(`  ${kind} of ${resource ?? 'anything'} from ${fromMs} to ${toMs} ms`);
  }
  sayViolations(ofSmallest);
  if (story) console.log(ofSmallest.story.join('\n'));
  console.log(`seed ${seed} fails`);
  return 1;
}

function sayViolations({ violations }: Outcome): void {
  for (const { promise, sentence } of violations) console.log(`${promise}: ${sentence}`);
}

main(process.argv.slice(2)).then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
