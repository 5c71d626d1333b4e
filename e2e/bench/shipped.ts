import { dirname } from 'node:path';
import { bundlePath, RerollProcess } from '../reroll-process';

/** `reroll` as it is shipped: by its own first line, which has the options of Node; on one core, if one is given. */
export function startShipped(args: readonly string[], core?: number): RerollProcess {
  const started = new RerollProcess({
    args,
    env: { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` },
    command: core === undefined ? [bundlePath] : ['taskset', '-c', String(core), bundlePath],
  });
  // Whoever interrupts the bench wants no process left behind.
  process.once('exit', () => void started.end('SIGKILL'));
  return started;
}

/** Where it serves metrics and probes. */
export async function probesOf(started: RerollProcess): Promise<string> {
  return String((await started.line(({ message }) => message === 'serving metrics and probes'))['address']);
}

export async function isReady(probes: string): Promise<boolean> {
  return (await fetch(`http://${probes}/readyz`)).ok;
}
