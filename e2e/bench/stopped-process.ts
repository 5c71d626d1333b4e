import { setTimeout as delay } from 'node:timers/promises';

/** Time for a process to handle what arrived while it was stopped. */
const catchUpMs = 300;

/** Stops another process while `act` runs, then resumes it. `act` must be shorter than the process's lease. */
export async function whileStopped<T>(pid: number, act: () => Promise<T>): Promise<T> {
  process.kill(pid, 'SIGSTOP');
  try {
    return await act();
  } finally {
    process.kill(pid, 'SIGCONT');
    await delay(catchUpMs);
  }
}
