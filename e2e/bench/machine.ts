import { execFileSync } from 'node:child_process';
import { arch, availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';

/** The machine that measured the figures: without it they mean nothing. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly system: string;
  readonly node: string;
  /** Load average of the minute before: other work on the machine makes every figure worse. */
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

/** One core for the measured process and another for this one; undefined with only one core or without `taskset`. */
export function ownCores(): { readonly measured: number; readonly measuring: number } | undefined {
  if (availableParallelism() < 2) return undefined;
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' });
    return { measured: 0, measuring: 1 };
  } catch {
    return undefined;
  }
}

/** Pins this process, with all its threads, to one core. */
export function stayOn(core: number): void {
  execFileSync('taskset', ['-a', '-cp', String(core), String(process.pid)], { stdio: 'ignore' });
}
