import { type ProgramOptions, runProgram } from './run-program';

/** How to run kubectl. */
export type KubectlOptions = ProgramOptions;

/** Runs kubectl and resolves with its output; rejects with its error output. */
export async function runKubectl(
  file: string,
  kubeconfigPath: string,
  cacheDir: string,
  args: readonly string[],
  options: KubectlOptions = {},
): Promise<string> {
  const env = { KUBECONFIG: kubeconfigPath, KUBECACHEDIR: cacheDir, ...options.env };
  return await runProgram(file, args, { ...options, env });
}
