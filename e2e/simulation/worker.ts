import { parentPort } from 'node:worker_threads';
import { simulate } from './simulation';
import type { Situation } from './situations';
import { drawWorld } from './world';

/** What a worker tells of one seed. */
export interface SeedReport {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly situations: readonly Situation[];
}

// Simulated servers refuse thousands of requests a second, and nobody reads where; a seed run alone keeps its stacks.
Error.stackTraceLimit = 0;

/** Runs each seed that it is sent. */
parentPort?.on('message', (seed: number) => {
  void run(seed);
});

async function run(seed: number): Promise<void> {
  const { violations, situations } = await simulate(drawWorld(seed));
  const report: SeedReport = {
    seed,
    violations: violations.map(({ promise, sentence }) => `${promise}: ${sentence}`),
    situations: [...situations],
  };
  parentPort?.postMessage(report);
}
