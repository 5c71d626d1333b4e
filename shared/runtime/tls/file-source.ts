import { errorMessage } from '../../domain/errors';
import { isAborted, sleep, type Clock } from '../clock';
import { BackgroundLoop } from '../process/background-loop';
import type { MaterialSlot } from './material-slot';
import type { MaterialSource } from './tls-material';

/** The kubelet itself takes a minute to update a file. File system events do not work, because it swaps directories. */
const intervalMs = 10_000;

/** Reads mounted files at the start, and periodically. */
export class FileSource<Material> implements MaterialSource<Material> {
  readonly #slot: MaterialSlot<Material>;
  readonly #loop: BackgroundLoop;

  constructor(clock: Clock, slot: MaterialSlot<Material>, read: () => Promise<Material>) {
    this.#slot = slot;
    this.#loop = new BackgroundLoop(async (signal) => {
      while (!signal.aborted) {
        try {
          const material = await read();
          if (!isAborted(signal)) slot.offer(material);
        } catch (thrown) {
          if (!isAborted(signal)) slot.refuse(errorMessage(thrown));
        }
        await sleep(clock, intervalMs, signal);
      }
    });
  }

  current(): Material | undefined {
    return this.#slot.current();
  }

  onChange(listener: () => void): void {
    this.#slot.onChange(listener);
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }
}
