import { dirname } from 'node:path';
import { bundlePath, RerollProcess } from '../reroll-process';
import type { InPod } from './access';

/** What decides how `reroll` is run. */
export interface ShippedOptions {
  /** The one that it is kept on; any by default. */
  readonly core?: number | undefined;
  /** By default it finds its cluster by its arguments. */
  readonly pod?: InPod | undefined;
}

/** `reroll` as it is shipped: by its own first line, which has the options of Node. */
export function startShipped(args: readonly string[], { core, pod }: ShippedOptions = {}): RerollProcess {
  const pinned = core === undefined ? [] : ['taskset', '-c', String(core)];
  const [command = bundlePath, ...first]: readonly string[] = [...pinned, ...(pod?.command ?? []), bundlePath];
  const started = new RerollProcess({
    args,
    env: { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, ...pod?.env },
    command: [command, ...first],
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
