import { BackgroundLoop } from '../process/background-loop';
import { sleep, type Clock } from '../clock';

/** The kubelet itself takes a minute. File system events do not work with the way it swaps directories. */
const intervalMs = 10_000;

/** Reads mounted files at the start, and periodically. */
export function fileLooks(clock: Clock, look: (signal: AbortSignal) => Promise<void>): BackgroundLoop {
  return new BackgroundLoop(async (signal) => {
    while (!signal.aborted) {
      await look(signal);
      await sleep(clock, intervalMs, signal);
    }
  });
}
