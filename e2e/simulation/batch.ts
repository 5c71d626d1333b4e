import { build, type Plugin } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { SeedReport } from './worker';

/** A piece of text of a file that is to read otherwise, in the threads only. */
export interface Mutation {
  /** From the root of the repository. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export function seedsFrom(from: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}

/** What is wrong in the threads on purpose. */
export interface Wrong {
  readonly mutation?: Mutation;
  /** Of {@link plantedBugs}, by what it is. */
  readonly plantedBug?: string;
}

/**
 * A process that is killed never ends what it waits for, and Node keeps the combined signals of that, about 1 MB for a
 * world. A batch of 20,000 ran out of memory.
 */
const seedsPerWorker = 500;

/**
 * Runs the seeds on worker threads; `report` is called for each as it ends, in no order, and ends the batch with
 * `enough`. Rejects when a worker dies, and for a mutation whose text is not there.
 */
export async function runBatch(
  seeds: readonly number[],
  workers: number,
  report: (report: SeedReport) => 'enough' | undefined,
  { mutation, plantedBug }: Wrong = {},
): Promise<void> {
  const code = await bundledWorker(mutation);
  let next = 0;
  const take = (): number | undefined => seeds[next++];
  const isLeft = (): boolean => next < seeds.length;
  const runSome = async (): Promise<void> => {
    // A world leaves little behind: with room for all of it, little is ever copied by the collector.
    const worker = new Worker(code, {
      eval: true,
      resourceLimits: { maxYoungGenerationSizeMb: 64 },
      workerData: plantedBug,
    });
    let left = seedsPerWorker;
    await new Promise<void>((resolve, reject) => {
      const send = (): void => {
        const seed = left-- > 0 ? take() : undefined;
        if (seed === undefined) resolve();
        else worker.postMessage(seed);
      };
      worker.on('message', (done: SeedReport) => {
        if (report(done) === 'enough') next = seeds.length;
        send();
      });
      worker.on('error', reject);
      worker.on('exit', () => reject(new Error('a worker ended before its seeds did')));
      send();
    }).finally(() => void worker.terminate());
  };
  await Promise.all(
    Array.from({ length: Math.min(workers, seeds.length) }, async () => {
      while (isLeft()) await runSome();
    }),
  );
}

/** In memory: threads do not share the loader that runs TypeScript. */
async function bundledWorker(mutation: Mutation | undefined): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ['e2e/simulation/worker.ts'],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
    write: false,
    sourcemap: 'inline',
    define: { REROLL_VERSION: '"simulated"' },
    plugins: mutation ? [mutating(mutation)] : [],
    logLevel: 'silent',
  });
  const [bundle] = outputFiles;
  if (!bundle) throw new Error('esbuild made no bundle of the worker');
  return bundle.text;
}

function mutating({ file, from, to }: Mutation): Plugin {
  return {
    name: 'mutation',
    setup: ({ onLoad }) => {
      onLoad({ filter: new RegExp(`/${file.replaceAll('.', '\\.')}$`) }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        if (!text.includes(from)) throw new Error(`${file} has no text "${from}"`);
        return { contents: text.replace(from, () => to), loader: 'ts' };
      });
    },
  };
}
