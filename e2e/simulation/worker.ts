import { parentPort, workerData } from 'node:worker_threads';
import { plantedBugs } from './planted-bugs';
import { simulate } from './simulation';
import type { Situation } from './situations';
import { drawWorld } from './world';

/** What a worker reports about one seed. */
export interface SeedReport {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly situations: readonly Situation[];
}

// Simulated servers refuse thousands of requests a second, and nobody reads those stack traces. A seed that is run
// alone keeps its stack traces.
Error.stackTraceLimit = 0;

const bug = plantedBugs.find(({ what }) => what === workerData);
bug?.plant?.();

/** Runs each seed that it is sent. */
parentPort?.on('message', (seed: number) => {
  void run(seed);
});

async function run(seed: number): Promise<void> {
  const { violations, situations } = await simulate(drawWorld(seed), bug?.settings);
  const report: SeedReport = {
    seed,
    violations: violations.map(({ promise, sentence }) => `${promise}: ${sentence}`),
    situations: [...situations],
  };
  parentPort?.postMessage(report);
}
