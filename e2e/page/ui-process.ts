import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { bundlePath } from '../reroll-process';

/** `reroll ui` as a process. */
export interface UiProcess {
  /** What it printed, with the token. */
  readonly address: string;
  /** Ends it with Ctrl-C. Resolves with its exit code. */
  end(): Promise<number | null>;
}

/** Starts the bundle, and waits until it prints its address. */
export async function startUi(kubeconfig: string, args: readonly string[] = []): Promise<UiProcess> {
  return await runUi([process.execPath, bundlePath, 'ui', `--kubeconfig=${kubeconfig}`, '--no-open', ...args]);
}

/** Runs a command that becomes `reroll ui`, and waits until it prints its address. */
export async function runUi([file, ...args]: readonly [string, ...string[]], cwd?: string): Promise<UiProcess> {
  const child = spawn(file, args, { ...(cwd === undefined ? {} : { cwd }), stdio: ['ignore', 'pipe', 'pipe'] });
  let [printed, problem] = ['', ''];
  child.stderr.on('data', (chunk: Buffer) => (problem += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      if (printed.includes('\n')) resolve();
    });
    void ended.then((code) => reject(new Error(`reroll ui ended with ${String(code)}: ${problem}`)));
  });
  return {
    address: printed.trim(),
    end: async () => {
      child.kill('SIGINT');
      return await ended;
    },
  };
}
