import { readFileSync, writeFileSync } from 'node:fs';

/** What a process has used so far, as the kernel reports it (proc(5)). */
export interface ProcessUsage {
  readonly residentBytes: number;
  /** The maximum so far. */
  readonly peakResidentBytes: number;
  readonly cpuSeconds: number;
}

/** `USER_HZ`, which is 100 on every Linux that runs Node. */
const ticksPerSecond = 100;

export function processUsage(pid: number): ProcessUsage {
  return parseUsage(readFileSync(`/proc/${pid}/status`, 'utf8'), readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

/** The kernel begins anew with what is resident now (proc(5), `clear_refs`). */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

export function parseUsage(status: string, stat: string): ProcessUsage {
  const bytes = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? NaN) * 1024;
  // The process name may contain anything, even a parenthesis, so fields are counted from its end.
  const [utime, stime] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return {
    residentBytes: bytes('VmRSS'),
    peakResidentBytes: bytes('VmHWM'),
    cpuSeconds: ((utime ?? NaN) + (stime ?? NaN)) / ticksPerSecond,
  };
}
