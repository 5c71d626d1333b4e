import { systemClock } from '../clock';
import { type Component, Lifecycle, processPort } from './lifecycle';
import type { Logger } from '../log/logger';
import { batchedStdout } from '../log/batched-stdout';
import { createLogger, type LogFormat, type LogLevel } from '../log/winston-logger';

/** The log of a process, according to its options. */
export function processLogger(
  process: Pick<NodeJS.Process, 'stdout' | 'once'>,
  { logFormat: format, logLevel: level }: { readonly logFormat: LogFormat; readonly logLevel: LogLevel },
): Logger {
  return createLogger({ format, level, clock: systemClock, stream: batchedStdout(process, systemClock) });
}

/**
 * Starts the components of a process in order, and connects their stop to its signals and crashes. Resolves once all of
 * them run; the process ends by itself.
 */
export async function runProcess(
  process: NodeJS.Process,
  logger: Logger,
  components: readonly Component[],
  drainMs?: number,
): Promise<void> {
  const port = processPort(process);
  const limits = drainMs === undefined ? {} : { drainMs };
  await new Lifecycle({ clock: systemClock, logger, process: port, components, ...limits }).run();
}
