import { execFileSync } from 'node:child_process';
import { arch, availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';

/** Where figures were taken: without it they say nothing. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly system: string;
  readonly node: string;
  /** Of the minute before: others at work make every figure worse. */
  readonly loadBefore: number;
}

export function machine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGib: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()} ${arch()}`,
    node: process.version,
    loadBefore: Number((loadavg()[0] ?? NaN).toFixed(2)),
  };
}

/** A core for what is measured, and another for who measures; undefined where they cannot be told apart. */
export function ownCores(): { readonly measured: number; readonly measuring: number } | undefined {
  if (availableParallelism() < 2) return undefined;
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' });
    return { measured: 0, measuring: 1 };
  } catch {
    return undefined;
  }
}

/** Keeps this process, with all its threads, on one core. */
export function stayOn(core: number): void {
  execFileSync('taskset', ['-a', '-cp', String(core), String(process.pid)], { stdio: 'ignore' });
}
