import { build } from 'esbuild';
import { Worker } from 'node:worker_threads';
import type { SeedReport } from './worker';

/** Runs the seeds on worker threads; `report` is called for each as it ends, in no order. Rejects when a worker dies. */
export async function runBatch(
  from: number,
  count: number,
  workers: number,
  report: (report: SeedReport) => void,
): Promise<void> {
  const code = await bundledWorker();
  let next = from;
  const end = from + count;
  await Promise.all(
    Array.from({ length: Math.min(workers, count) }, async () => {
      // A world leaves nothing behind: with room for all of it, little is ever copied by the collector.
      const worker = new Worker(code, { eval: true, resourceLimits: { maxYoungGenerationSizeMb: 64 } });
      await new Promise<void>((resolve, reject) => {
        const send = (): void => {
          if (next < end) worker.postMessage(next++);
          else resolve();
        };
        worker.on('message', (done: SeedReport) => {
          report(done);
          send();
        });
        worker.on('error', reject);
        worker.on('exit', () => reject(new Error('a worker ended before its seeds did')));
        send();
      }).finally(() => void worker.terminate());
    }),
  );
}

/** In memory: threads do not share the loader that runs TypeScript. */
async function bundledWorker(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ['e2e/simulation/worker.ts'],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
    write: false,
    sourcemap: 'inline',
    define: { REROLL_VERSION: '"simulated"' },
  });
  const [bundle] = outputFiles;
  if (!bundle) throw new Error('esbuild made no bundle of the worker');
  return bundle.text;
}
