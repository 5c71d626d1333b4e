import { dirname } from 'node:path';
import { mallocSettings } from '../image-environment';
import type { Pod } from './pod';
import { bundlePath, RerollProcess } from '../reroll-process';

export interface ShippedOptions {
  /** Pin the process to this core. */
  readonly core?: number | undefined;
  /** Run as in this pod, whose environment and files lead to the cluster. */
  readonly pod?: Pod | undefined;
}

/** Starts `reroll` as it is shipped: with the variables of the image, and the options of Node in its first line. */
export function startShipped(args: readonly string[], { core, pod }: ShippedOptions = {}): RerollProcess {
  const [first, ...rest] = [
    ...(core === undefined ? [] : ['taskset', '-c', String(core)]),
    ...(pod?.command ?? []),
    bundlePath,
  ];
  const path = { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` };
  return endedWithUs(
    new RerollProcess({ args, env: { ...path, ...mallocSettings, ...pod?.env }, command: [first, ...rest] }),
  );
}

/** Kills the process when the bench exits, so that an interrupted bench leaves no process behind. */
export function endedWithUs(started: RerollProcess): RerollProcess {
  const kill = (): void => void started.end('SIGKILL');
  process.once('exit', kill);
  void started.exited().then(() => process.off('exit', kill));
  return started;
}

/** The address at which it serves metrics and probes. */
export async function probesOf(started: RerollProcess): Promise<string> {
  return String((await started.line(({ message }) => message === 'serving metrics and probes'))['address']);
}

/** Uses a new connection: the server may have closed a kept-alive one while this process was too busy to notice. */
export async function isReady(probes: string): Promise<boolean> {
  return (await fetch(`http://${probes}/readyz`, { headers: { connection: 'close' } })).ok;
}
