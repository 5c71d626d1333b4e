import { execFile } from 'node:child_process';
import path from 'node:path';

/** How to run a program. */
export interface ProgramOptions {
  /** Text for its standard input, such as the manifest of `kubectl apply -f -`. */
  readonly stdin?: string;
  /** Changes to the environment, such as the editor of `kubectl edit`; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs?: number;
}

/** Runs a program to its end and resolves with its output; rejects with its error output. */
export async function runProgram(file: string, args: readonly string[], options: ProgramOptions = {}): Promise<string> {
  const env = { ...process.env, ...options.env };
  return await new Promise((resolve, reject) => {
    const child = execFile(
      file,
      args,
      { env, timeout: options.timeoutMs ?? 60_000, maxBuffer: 256 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else {
          const called = [path.basename(file), ...args].join(' ');
          reject(new Error(`${called}: ${stderr.trim() || error.message}`, { cause: error }));
        }
      },
    );
    // The program may end before it has read everything; its exit code says why.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.stdin ?? '');
  });
}
