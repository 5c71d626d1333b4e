import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { goModulesDir, pinnedVersion, projectDir } from './versions';

/** Flags for reproducible builds: the same sources give the same program in any folder. */
export const hermetic = ['-mod=readonly', '-buildvcs=false', '-trimpath'] as const;

/**
 * Makes sure that Go can be run.
 *
 * @param wanted what Go is needed for, for the message.
 * @throws Error that says what to install or to set instead.
 */
export function requireGo(go: string, wanted: readonly string[]): void {
  if (spawnSync(go, ['version'], { stdio: 'ignore' }).error === undefined) return;
  throw new Error(
    [
      `Go is needed to build ${wanted.join(', ')}, and "${go}" was not found.`,
      'Install Go 1.26 or later (https://go.dev/doc/install),',
      'or set KUBEBUILDER_ASSETS to a folder that has these programs ready-made',
      '(setup-envtest provides etcd, kube-apiserver and kubectl).',
    ].join(' '),
  );
}

/** Runs Go in one of our modules and resolves with what it printed; its errors go to the terminal. */
export async function runGo(go: string, folder: string, args: readonly string[]): Promise<string> {
  const child = spawn(go, args, {
    cwd: path.join(goModulesDir, folder),
    // Static binaries: no C compiler needed, and they run on whichever machine the cache is restored to.
    // No workspace: a published module may contain a go.work that names the rest of its repository, which is missing.
    env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve(stdout);
      else reject(new Error(`go ${args[0] ?? ''} in go/${folder} ended with ${signal ?? `code ${String(code)}`}`));
    });
  });
}

/** Downloads a module that one of ours requires, and resolves with its folder. */
export async function goModuleDir(go: string, folder: string, modulePath: string): Promise<string> {
  const parsed: unknown = JSON.parse(await runGo(go, folder, ['mod', 'download', '-json', modulePath]));
  if (typeof parsed === 'object' && parsed !== null && 'Dir' in parsed && typeof parsed.Dir === 'string') {
    return parsed.Dir;
  }
  throw new Error(`go mod download did not say where ${modulePath} is`);
}

/** A program that is built inside the module it comes from, with that module's versions and replacements. */
export interface ModuleProgram {
  /** The folder of our Go module that pins the version. */
  readonly folder: string;
  readonly modulePath: string;
  /** Its main package, relative to the module. */
  readonly mainPackage: string;
  /** Its main package is in our module, because its own one is not published. */
  readonly isOurs?: boolean;
  /** More linker flags for the module in this folder; symbols are always omitted. */
  readonly linkerFlags?: (moduleDir: string) => readonly string[];
}

/** Options for building a program; everything has a default. */
export interface ProgramBuildOptions {
  readonly file?: string;
  readonly goCommand?: string;
  readonly print?: (line: string) => void;
}

/** Builds a program into `file`, unless that exists. */
export async function buildOnceWithinModule(
  program: ModuleProgram,
  file: string,
  { goCommand = 'go', print = () => undefined }: ProgramBuildOptions,
): Promise<void> {
  if (existsSync(file)) return;
  const name = path.basename(file);
  requireGo(goCommand, [name]);
  print(`control plane: building ${name}`);
  await buildWithinModule(goCommand, program, file);
}

/** The git-ignored file of a program. Its folder's name has the version, so an upgrade never uses an old program. */
export function programFile(name: string, { folder, modulePath }: ModuleProgram): string {
  const version = pinnedVersion(folder, modulePath);
  return path.join(projectDir, '.cache', `${name}-${version}_${process.platform}-${process.arch}`, name);
}

async function buildWithinModule(
  go: string,
  { folder, modulePath, mainPackage, isOurs = false, linkerFlags = () => [] }: ModuleProgram,
  file: string,
): Promise<void> {
  const moduleDir = await goModuleDir(go, folder, modulePath);
  const flags = [...hermetic, '-ldflags', ['-s', '-w', ...linkerFlags(moduleDir)].join(' ')];
  const unfinished = `${file}.building-${process.pid}`;
  await mkdir(path.dirname(file), { recursive: true });
  await runGo(go, folder, ['build', ...(isOurs ? [] : ['-C', moduleDir]), ...flags, '-o', unfinished, mainPackage]);
  // A rename is all or nothing, so an interrupted build leaves no half-written program under the real name.
  await rename(unfinished, file);
}
