import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { buildCertManager, buildRolloutsController, fetchAddOnDefinitions } from './add-ons';
import {
  type BinaryName,
  type BinarySources,
  binaryNames,
  cacheDir,
  findBinary,
  kwokStageFiles,
  stagesDirOf,
} from './binaries';
import { goModuleDir, hermetic, requireGo, runGo } from './go-command';
import { type GoModule, goModules } from './go-modules';
import { buildHelm } from './helm';
import { identifyProcess } from './process-identity';
import { pinnedVersions } from './versions';

/** Options for a build; everything has a default. */
export interface BuildOptions extends BinarySources {
  /** The Go command. */
  readonly goCommand?: string;
  /** Receives one line per step. */
  readonly print?: (line: string) => void;
}

interface Build {
  readonly go: string;
  readonly outputDir: string;
  readonly print: (line: string) => void;
}

const temporaryPrefix = '.building-';

/**
 * Builds the programs that are neither ready-made nor in the cache, and copies KWOK's stages beside them.
 *
 * @returns the folder of the built programs.
 */
export async function buildBinaries(options: BuildOptions = {}): Promise<string> {
  const outputDir = options.cacheDir ?? cacheDir();
  const print = options.print ?? (() => undefined);
  const missing = binaryNames.filter((name) => findBinary(name, options) === undefined);
  const stagesMissing = !existsSync(stagesDirOf(options));
  if (missing.length === 0 && !stagesMissing) {
    print(`control plane: nothing to build, all is in ${outputDir}`);
    return outputDir;
  }

  const build: Build = { go: options.goCommand ?? 'go', outputDir, print };
  requireGo(build.go, stagesMissing ? [...missing, 'KWOK stages'] : missing);
  await mkdir(outputDir, { recursive: true });
  await removeLeftovers(outputDir);
  for (const goModule of goModules) {
    for (const name of missing) {
      const mainPackage = goModule.packages[name];
      if (mainPackage !== undefined) await buildBinary(build, goModule, name, mainPackage);
    }
  }
  if (stagesMissing) await copyStages(build);
  return outputDir;
}

async function buildBinary(
  { go, outputDir, print }: Build,
  { folder, linkerFlags }: GoModule,
  name: BinaryName,
  mainPackage: string,
): Promise<void> {
  const startedMs = Date.now();
  print(`control plane: building ${name}`);
  await inTemporaryFolder(outputDir, async (temporaryDir) => {
    const built = path.join(temporaryDir, name);
    const flags = ['-s', '-w', ...linkerFlags(pinnedVersions())].join(' ');
    await runGo(go, folder, ['build', ...hermetic, '-ldflags', flags, '-o', built, mainPackage]);
    // A rename is all or nothing, so an interrupted build leaves no half-written program under the real name.
    await rename(built, path.join(outputDir, name));
  });
  print(`control plane: built ${name} in ${Math.round((Date.now() - startedMs) / 1000)} s`);
}

/** Copies KWOK's stages: a later start, or a machine that restored the cache, then needs no Go and no module cache. */
async function copyStages({ go, outputDir, print }: Build): Promise<void> {
  const moduleDir = await goModuleDir(go, 'kwok', 'sigs.k8s.io/kwok');
  await inTemporaryFolder(outputDir, async (temporaryDir) => {
    const stagesDir = path.join(temporaryDir, 'stages');
    await mkdir(stagesDir);
    for (const [file, source] of Object.entries(kwokStageFiles)) {
      await copyFile(path.join(moduleDir, source), path.join(stagesDir, file));
    }
    await rename(stagesDir, path.join(outputDir, 'stages'));
  });
  print('control plane: copied the KWOK stages');
}

async function inTemporaryFolder(outputDir: string, use: (dir: string) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(path.join(outputDir, `${temporaryPrefix}${process.pid}-`));
  try {
    await use(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Removes what a killed build left behind; a build that still runs keeps its folder. */
async function removeLeftovers(outputDir: string): Promise<void> {
  for (const entry of await readdir(outputDir)) {
    const pid = /^\.building-(\d+)-/.exec(entry)?.[1];
    if (pid !== undefined && identifyProcess(Number(pid)) === undefined) {
      await rm(path.join(outputDir, entry), { recursive: true, force: true });
    }
  }
}

async function buildAll(print: (line: string) => void): Promise<void> {
  await buildBinaries({ print });
  await fetchAddOnDefinitions({ print });
  await buildRolloutsController({ print });
  await buildCertManager({ print });
  await buildHelm({ print });
}

if (require.main === module) {
  buildAll((line) => console.log(line)).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
