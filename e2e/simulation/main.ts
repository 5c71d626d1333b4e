import { availableParallelism } from 'node:os';
import { parseArguments, UsageError, type Asked } from './arguments';
import { runBatch, seedsFrom } from './batch';
import { shrink } from './shrink';
import { simulate } from './simulation';
import { situations, type Situation } from './situations';
import { drawWorld } from './world';

/** A smaller batch may miss a situation by chance. */
const seedsForAllSituations = 1_000;

async function main(args: readonly string[]): Promise<number> {
  let asked: Asked;
  try {
    asked = parseArguments(args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    return 2;
  }
  return asked.kind === 'one' ? await runOne(asked.seed, asked.story) : await runMany(asked.from, asked.seeds);
}

async function runMany(from: number, seeds: number): Promise<number> {
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
  return failed > 0 || (seeds >= seedsForAllSituations && missing.length > 0) ? 1 : 0;
}

/** A seed that fails is told as the smallest world that fails in the same way. */
async function runOne(seed: number, story: boolean): Promise<number> {
  const world = drawWorld(seed);
  const outcome = await simulate(world);
  const [first] = outcome.violations;
  if (first === undefined) {
    if (story) console.log(outcome.story.join('\n'));
    console.log(`seed ${seed} passes`);
    return 0;
  }
  for (const { promise, sentence } of outcome.violations) console.log(`${promise}: ${sentence}`);
  const smallest = await shrink(world, first.promise);
  const { story: lines } = await simulate(smallest);
  console.log(`${smallest.steps.length} steps and ${smallest.weather.length} faults are enough:`);
  for (const { kind, atMs } of smallest.steps) console.log(`  ${kind} at ${atMs} ms`);
  for (const { kind, fromMs, toMs, resource } of smallest.weather) {
    console.log(`  ${kind} of ${resource ?? 'anything'} from ${fromMs} to ${toMs} ms`);
  }
  if (story) console.log(lines.join('\n'));
  console.log(`seed ${seed} fails`);
  return 1;
}

main(process.argv.slice(2)).then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
