import { errorMessage } from '../../domain/errors';
import type { Clock } from '../clock';
import { fileLooks } from './file-looks';
import type { Logger } from '../log/logger';
import type { TlsMaterial, TlsMaterialSource } from './tls-material';
import { TlsMaterialSlot } from './tls-material-slot';

export interface TlsFileSourceOptions {
  /** The directory with `tls.crt`, `tls.key` and `ca.crt`: the keys of a Secret of cert-manager. */
  readonly directory: string;
  readonly readFile: (path: string) => Promise<Buffer>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** TLS material from a mounted Secret: read periodically, and used when the three files fit together. */
export class TlsFileSource implements TlsMaterialSource {
  readonly #options: TlsFileSourceOptions;
  readonly #slot: TlsMaterialSlot;
  readonly #loop;

  constructor(options: TlsFileSourceOptions) {
    this.#options = options;
    this.#slot = new TlsMaterialSlot(options.logger.child({ directory: options.directory }));
    this.#loop = fileLooks(options.clock, async (signal) => await this.#look(signal));
  }

  current(): TlsMaterial | undefined {
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

  async #look(signal: AbortSignal): Promise<void> {
    try {
      // In sequence: if several files are missing, the same one is named each time. Otherwise each look would log
      // another warning.
      const cert = await this.#read('tls.crt');
      const key = await this.#read('tls.key');
      const ca = await this.#read('ca.crt');
      if (!signal.aborted) this.#slot.offer({ cert, key, ca });
    } catch (thrown) {
      if (!signal.aborted) this.#slot.refuse(errorMessage(thrown));
    }
  }

  async #read(name: string): Promise<string> {
    const { directory, readFile } = this.#options;
    return (await readFile(`${directory}/${name}`)).toString('utf8');
  }
}
