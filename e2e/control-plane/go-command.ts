import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { goModulesDir } from './versions';

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
    env: { ...process.env, CGO_ENABLED: '0' },
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

/** Downloads a module that one of ours requires, and tells where it is. */
export async function goModuleDir(go: string, folder: string, modulePath: string): Promise<string> {
  const parsed: unknown = JSON.parse(await runGo(go, folder, ['mod', 'download', '-json', modulePath]));
  if (typeof parsed === 'object' && parsed !== null && 'Dir' in parsed && typeof parsed.Dir === 'string') {
    return parsed.Dir;
  }
  throw new Error(`go mod download did not say where ${modulePath} is`);
}
