import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * A process. Its start time, as the kernel reports it, distinguishes it from a later process with the same pid.
 *
 * The start time is opaque: clock ticks since boot on Linux, a date elsewhere; only equality means anything.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly kernelStartTime: string;
}

/** The kernel's start time of a process, or undefined when no such process runs. A zombie does not run. */
export function kernelStartTimeOf(pid: number): string | undefined {
  return process.platform === 'linux' ? startTimeFromProc(pid) : startTimeFromPs(pid);
}

/** The identity of a process that runs now. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const kernelStartTime = kernelStartTimeOf(pid);
  return kernelStartTime === undefined ? undefined : { pid, kernelStartTime };
}

/** Whether exactly this process still runs. */
export function isRunning({ pid, kernelStartTime }: ProcessIdentity): boolean {
  return kernelStartTimeOf(pid) === kernelStartTime;
}

/** Signals exactly this process; does nothing when it is gone, even if its pid is in use again. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isRunning(identity)) return;
  try {
    process.kill(identity.pid, signal);
  } catch (error) {
    // It may end between the check and the signal, which is what the caller wants anyway.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

function startTimeFromProc(pid: number): string | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The second field is the program's name in parentheses, which may hold spaces and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  return state === 'Z' || state === 'X' ? undefined : fields[19];
}

function startTimeFromPs(pid: number): string | undefined {
  const { status, stdout } = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' });
  const [state, ...started] = stdout.trim().split(/\s+/);
  return status !== 0 || state === undefined || state.startsWith('Z') ? undefined : started.join(' ');
}
