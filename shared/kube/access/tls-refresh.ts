import { errorMessage } from '../../domain/errors';
import type { Clock, Timer } from '../../runtime/clock';
import type { Logger } from '../../runtime/log/logger';
import type { TlsMaterial } from './cluster-access';

export interface TlsRefreshOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** What is in use at the start. */
  readonly current: TlsMaterial;
  /** Reads CA and client certificate anew. */
  readonly load: () => Promise<TlsMaterial>;
  readonly apply: (tls: TlsMaterial) => void;
}

/** A rotated CA is trusted beside the old one for hours, a rotated client certificate is valid for as long. */
const intervalMs = 60_000;

/** Keeps the material of a transport up to date with the files it came from. */
export class TlsRefresh {
  readonly #options: TlsRefreshOptions;
  #current: TlsMaterial;
  #timer: Timer | undefined;
  #stopped = false;

  constructor(options: TlsRefreshOptions) {
    this.#options = options;
    this.#current = options.current;
  }

  start(): void {
    this.#timer = this.#options.clock.timer(intervalMs, () => void this.#refresh());
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  /** Never rejects: what was read before goes on serving. */
  async #refresh(): Promise<void> {
    const { load, apply, logger } = this.#options;
    try {
      const loaded = await load();
      if (!this.#stopped && !isSame(loaded, this.#current)) {
        this.#current = loaded;
        apply(loaded);
        logger.info('the certificates of the connection to the API server have changed and are in use');
      }
    } catch (thrown) {
      logger.warn('cannot read the certificates of the connection to the API server again; the old ones stay in use', {
        error: errorMessage(thrown),
      });
    }
    if (!this.#stopped) this.start();
  }
}

function isSame(left: TlsMaterial, right: TlsMaterial): boolean {
  return (['ca', 'cert', 'key'] as const).every((part) => {
    const [one, other] = [left[part], right[part]];
    return one === undefined || other === undefined ? one === other : one.equals(other);
  });
}
