import { setTimeout as delay } from 'node:timers/promises';

/** How long a process may need for what came while it was stopped. */
const catchUpMs = 300;

/** Does something while another process has no part in it: it goes on afterwards. No longer than its lease lasts. */
export async function whileStopped<T>(pid: number, act: () => Promise<T>): Promise<T> {
  process.kill(pid, 'SIGSTOP');
  try {
    return await act();
  } finally {
    process.kill(pid, 'SIGCONT');
    await delay(catchUpMs);
  }
}
