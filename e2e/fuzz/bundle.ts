import { build, type Plugin } from 'esbuild';
import { basename, join, resolve } from 'node:path';
import { instrumentation } from './instrument';

/** One target in the two forms in which a child process runs it, as files. */
export interface TargetBundle {
  readonly name: string;
  /** Tells what it runs through. */
  readonly counted: string;
  /** As it ships: what it costs is measured with this one. */
  readonly plain: string;
  readonly words: readonly string[];
}

/** Below the root, so that packages are found. */
const folder = join('.cache', 'fuzz', 'bundles');

/** `entry` exports a `target`. */
export async function bundleTarget(entry: string): Promise<TargetBundle> {
  const { plugin, words } = instrumentation();
  const name = basename(entry, '.ts');
  const [counted, plain] = await Promise.all([
    bundle(entry, `${name}.counted.cjs`, [plugin]),
    bundle(entry, `${name}.cjs`, []),
  ]);
  return { name, counted, plain, words: [...words] };
}

/** The loop itself: a child process does not have the loader that runs TypeScript. */
export async function bundleChild(): Promise<string> {
  return await bundle('e2e/fuzz/child.ts', 'child.cjs', []);
}

async function bundle(entry: string, name: string, plugins: Plugin[]): Promise<string> {
  // Whoever else fuzzes at the same time has files of their own.
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

/** For the end of a run. */
export const bundleFolder = join(folder, String(process.pid));
