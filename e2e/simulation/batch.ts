import { build, type Plugin } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { SeedReport } from './worker';

/** Replaces a piece of a file's text, in the worker threads only. */
export interface Mutation {
  /** Relative to the root of the repository. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export function seedsFrom(from: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}

/** What is broken on purpose in the worker threads. */
export interface Wrong {
  readonly mutation?: Mutation;
  /** The `what` of one of {@link plantedBugs}. */
  readonly plantedBug?: string;
}

/**
 * What a killed process awaits never ends, and Node keeps the combined abort signals of that, about 1 MB per world. A
 * batch of 20,000 seeds ran out of memory, so a worker is replaced after this many seeds.
 */
const seedsPerWorker = 500;

/**
 * Runs the seeds on worker threads. `report` is called when a seed ends, in no particular order. If it returns
 * `enough`, no further seeds are started. Rejects if a worker dies, or if the file does not contain the text of the
 * mutation.
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
    // Little of a world survives. With room for all of it in the young generation, the collector hardly ever copies.
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

/** Bundles the worker in memory, because threads do not share the loader that runs TypeScript. */
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
