import { BackgroundLoop } from '../process/background-loop';
import { sleep, type Clock } from '../clock';

/** The kubelet itself takes a minute; file system events do not survive its way of swapping directories. */
const intervalMs = 10_000;

/** Looks at mounted files at the start, and again and again. */
export function fileLooks(clock: Clock, look: (signal: AbortSignal) => Promise<void>): BackgroundLoop {
  return new BackgroundLoop(async (signal) => {
    while (!signal.aborted) {
      await look(signal);
      await sleep(clock, intervalMs, signal);
    }
  });
}
