import { build, type Plugin } from 'esbuild';
import { basename, join, resolve } from 'node:path';
import { instrumentation } from './instrument';

/** One target as two bundle files, both of which the child process loads. */
export interface TargetBundle {
  readonly name: string;
  /** The instrumented bundle, which counts the blocks that run. */
  readonly counted: string;
  /** The bundle as it ships, used to measure what an input costs. */
  readonly plain: string;
  readonly words: readonly string[];
}

/** Below the project root, so that `require` finds packages. */
const folder = join('.cache', 'fuzz', 'bundles');

/** Bundles the file `entry`, which exports a `target`. */
export async function bundleTarget(entry: string): Promise<TargetBundle> {
  const { plugin, words } = instrumentation();
  const name = basename(entry, '.ts');
  const [counted, plain] = await Promise.all([
    bundle(entry, `${name}.counted.cjs`, [plugin]),
    bundle(entry, `${name}.cjs`, []),
  ]);
  return { name, counted, plain, words: [...words] };
}

/** Bundles the fuzzing loop. A child process lacks the loader that runs TypeScript. */
export async function bundleChild(): Promise<string> {
  return await bundle('e2e/fuzz/child.ts', 'child.cjs', []);
}

async function bundle(entry: string, name: string, plugins: Plugin[]): Promise<string> {
  // Each process writes its own files, so that several can fuzz at the same time.
  const outfile = resolve(folder, String(process.pid), name);
  await build({
    absWorkingDir: process.cwd(),
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
    outfile,
    define: { REROLL_VERSION: '"fuzzed"' },
    plugins,
    logLevel: 'silent',
  });
  return outfile;
}

/** The folder with all bundles of this process, to be removed at the end of a run. */
export const bundleFolder = join(folder, String(process.pid));
