import { execFile } from 'node:child_process';

/** How to run kubectl. */
export interface KubectlOptions {
  /** Text for its standard input: the manifest of `apply -f -`. */
  readonly stdin?: string;
  /** Added to the environment: the editor of `kubectl edit`. */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** Runs kubectl and resolves with what it printed; rejects with what it complained about. */
export async function runKubectl(
  file: string,
  kubeconfigPath: string,
  cacheDir: string,
  args: readonly string[],
  options: KubectlOptions = {},
): Promise<string> {
  const env = { ...process.env, KUBECACHEDIR: cacheDir, ...options.env };
  return await new Promise((resolve, reject) => {
    const child = execFile(
      file,
      ['--kubeconfig', kubeconfigPath, ...args],
      { env, timeout: options.timeoutMs ?? 60_000, maxBuffer: 256 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`kubectl ${args.join(' ')}: ${stderr.trim() || error.message}`, { cause: error }));
      },
    );
    // kubectl may end before it has read everything; its exit code tells why.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.stdin ?? '');
  });
}
