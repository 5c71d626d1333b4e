import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildOnceWithinModule, type ModuleProgram, type ProgramBuildOptions, programFile } from './go-command';
import { type ProgramOptions, runProgram } from './run-program';
import { pinnedVersion, requiredVersion } from './versions';

/** How to run Helm. */
export interface HelmOptions extends ProgramOptions {
  readonly file?: string;
}

const folder = 'helm';
const modulePath = 'helm.sh/helm/v3';
const version = pinnedVersion(folder, modulePath);

const program: ModuleProgram = {
  ...{ folder, modulePath, mainPackage: './cmd/helm' },
  linkerFlags: (moduleDir) => {
    const goMod = readFileSync(path.join(moduleDir, 'go.mod'), 'utf8');
    const minor = requiredVersion(goMod, 'k8s.io/client-go').split('.')[1] ?? '';
    return [
      `-X ${modulePath}/internal/version.version=${version}`,
      // As in its releases: without these flags, it assumes Kubernetes 1.20 if it has no cluster to ask.
      ...['pkg/lint/rules', 'pkg/chartutil'].flatMap((package_) => [
        `-X ${modulePath}/${package_}.k8sVersionMajor=1`,
        `-X ${modulePath}/${package_}.k8sVersionMinor=${minor}`,
      ]),
    ];
  },
};

const helmFile = programFile('helm', program);

/** Builds the real Helm, unless it exists. */
export async function buildHelm({ file = helmFile, ...options }: ProgramBuildOptions = {}): Promise<void> {
  await buildOnceWithinModule(program, file, options);
}

/**
 * Runs Helm and resolves with its output; rejects with its error output. It does not use repositories, plugins or
 * settings of the user who runs the tests.
 *
 * @param kubeconfig undefined for commands that need no cluster: `lint`, `template`, `package`.
 * @example await helm(['upgrade', 'web', chartDir, '--install', '--set', 'image=web:2'], cluster.adminKubeconfigPath);
 */
export async function helm(
  args: readonly string[],
  kubeconfig: string | undefined,
  { file = helmFile, ...options }: HelmOptions = {},
): Promise<string> {
  if (!existsSync(file)) throw new Error('Helm is not built yet. Run: npx tsx e2e/control-plane/build.ts');
  const home = await mkdtemp(path.join(tmpdir(), 'reroll-helm-'));
  const inherited = Object.keys(process.env).filter((name) => name.startsWith('HELM_'));
  const env = {
    ...Object.fromEntries(inherited.map((name) => [name, undefined])),
    // Caches last for this call only: a later cluster may have the same address.
    ...{ HOME: home, XDG_CACHE_HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, KUBECACHEDIR: home },
    // This file does not exist. Without KUBECONFIG, Helm would use the cluster of the user who runs the tests.
    KUBECONFIG: kubeconfig ?? path.join(home, 'no-cluster'),
    ...options.env,
  };
  try {
    return await runProgram(file, args, { ...options, env });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
