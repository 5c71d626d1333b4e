import { readFileSync } from 'node:fs';

/** What a process has used so far, by the kernel's own account (proc(5)). */
export interface ProcessUsage {
  readonly residentBytes: number;
  /** The most it ever was. */
  readonly peakResidentBytes: number;
  readonly cpuSeconds: number;
}

/** `USER_HZ`, which is 100 wherever Linux runs Node. */
const ticksPerSecond = 100;

export function processUsage(pid: number): ProcessUsage {
  return parseUsage(readFileSync(`/proc/${pid}/status`, 'utf8'), readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

export function parseUsage(status: string, stat: string): ProcessUsage {
  const bytes = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? NaN) * 1024;
  // The name of the process may hold anything, a parenthesis too: fields are counted from behind it.
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
