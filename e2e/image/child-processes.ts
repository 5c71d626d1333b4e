import { readFileSync } from 'node:fs';

/** The child processes that the main thread of a process has started and not yet waited for. */
export function childProcesses(pid: number): readonly number[] {
  const list = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8').trim();
  return list === '' ? [] : list.split(' ').map(Number);
}

/**
 * Kills all descendants of a process. A process that switched to another user is no longer tied to its parent, and
 * would outlive it.
 */
export function killDescendants(pid: number): void {
  for (const child of childProcesses(pid)) {
    killDescendants(child);
    process.kill(child, 'SIGKILL');
  }
}
