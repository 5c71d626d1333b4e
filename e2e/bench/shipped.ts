import { dirname } from 'node:path';
import type { Pod } from './pod';
import { bundlePath, RerollProcess } from '../reroll-process';

export interface ShippedOptions {
  /** On this one alone. */
  readonly core?: number | undefined;
  /** In a pod, which tells it where the cluster is. */
  readonly pod?: Pod | undefined;
}

/** `reroll` as it is shipped: by its own first line, which has the options of Node. */
export function startShipped(args: readonly string[], { core, pod }: ShippedOptions = {}): RerollProcess {
  const [first, ...rest] = [
    ...(core === undefined ? [] : ['taskset', '-c', String(core)]),
    ...(pod?.command ?? []),
    bundlePath,
  ];
  const path = { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` };
  return endedWithUs(new RerollProcess({ args, env: { ...path, ...pod?.env }, command: [first, ...rest] }));
}

/** Whoever interrupts the bench wants no process left behind. */
export function endedWithUs(started: RerollProcess): RerollProcess {
  const kill = (): void => void started.end('SIGKILL');
  process.once('exit', kill);
  void started.exited().then(() => process.off('exit', kill));
  return started;
}

/** Where it serves metrics and probes. */
export async function probesOf(started: RerollProcess): Promise<string> {
  return String((await started.line(({ message }) => message === 'serving metrics and probes'))['address']);
}

/** Asked on a connection of its own: one that was kept may have been closed while we had no time to look. */
export async function isReady(probes: string): Promise<boolean> {
  return (await fetch(`http://${probes}/readyz`, { headers: { connection: 'close' } })).ok;
}
