import { fork, type ChildProcess } from 'node:child_process';
import type { TargetBundle } from './bundle';
import type { ChildMessage, ChildTask } from './child';
import type { Finding } from './finding';
import type { FuzzOptions, FuzzReport } from './fuzz';
import { readProgress, removeProgress } from './progress';

export interface TargetRun extends Pick<FuzzOptions, 'seed' | 'limits' | 'distil'> {
  readonly bundle: TargetBundle;
  /** The file that {@link bundleChild} wrote. */
  readonly child: string;
  readonly corpus: readonly Buffer[];
  readonly onFinding?: (finding: Finding) => void;
  /** A child that makes no progress for this long is killed; set by tests. */
  readonly hangMs?: number;
}

export interface TargetResult extends FuzzReport {
  readonly executions: number;
  readonly ms: number;
  readonly findings: readonly Finding[];
}

const usualHangMs = 20_000;

/**
 * The heap that the chart gives a process; here, the fuzzer shares it. An input that needs all of it at once would kill
 * Reroll, too.
 */
const heapMiB = 192;

/** Fuzzes one target in a child process, which may hang or run out of memory. */
export async function runTarget(run: TargetRun): Promise<TargetResult> {
  const { bundle, child: script, corpus, seed, limits, distil = false, onFinding, hangMs = usualHangMs } = run;
  const startMs = performance.now();
  const progressFile = `${bundle.counted}.progress`;
  const findings: Finding[] = [];
  let report: FuzzReport = { coveredBlocks: 0, blocks: 0, corpus: 0 };
  const found = (finding: Finding): void => {
    // A Buffer arrives from another process as a plain Uint8Array.
    const told = { ...finding, input: Buffer.from(finding.input) };
    findings.push(told);
    onFinding?.(told);
  };
  const child = fork(script, {
    execArgv: [`--max-old-space-size=${heapMiB}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  child.on('message', (message: ChildMessage) => {
    if (message.kind === 'finding') found(message.finding);
    else report = message.report;
  });
  const { counted, plain, words } = bundle;
  const task: ChildTask = { counted, plain, words, corpus, seed, limits, distil, progress: progressFile };
  child.send(task);
  const ended = await endOf(child, hangMs, () => readProgress(progressFile).steps);
  const { executions, input } = readProgress(progressFile);
  if (ended) found({ ...ended, input });
  removeProgress(progressFile);
  return { ...report, executions, ms: performance.now() - startMs, findings };
}

/** What was wrong if the child hung, ran out of memory or crashed; undefined if it ended by itself. */
async function endOf(
  child: ChildProcess,
  hangMs: number,
  steps: () => number,
): Promise<Omit<Finding, 'input'> | undefined> {
  let hangs = false;
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-16_384)));
  return await new Promise((resolve) => {
    let seen = -1;
    const watchdog = setInterval(() => {
      const now = steps();
      if (now === seen) hangs = child.kill('SIGKILL');
      seen = now;
    }, hangMs);
    child.once('close', (code) => {
      clearInterval(watchdog);
      if (hangs) resolve({ kind: 'hangs', what: `no end after ${hangMs / 1000} s` });
      else if (code === 0) resolve(undefined);
      else if (said.includes('heap out of memory')) {
        resolve({ kind: 'exhausts', what: `a heap of ${heapMiB} MiB is too small` });
      } else resolve({ kind: 'throws', what: `the process ended: ${lastWords(said)}` });
    });
  });
}

function lastWords(said: string): string {
  const error = /^\w*Error: .*$/m.exec(said)?.[0];
  return error?.slice(0, 200) ?? 'nobody knows why';
}
