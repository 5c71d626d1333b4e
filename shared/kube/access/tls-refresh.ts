import { errorMessage } from '../../domain/errors';
import type { Clock, Timer } from '../../runtime/clock';
import type { Logger } from '../../runtime/log/logger';
import type { TlsMaterial } from './cluster-access';

export interface TlsRefreshOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The material in use at the start. */
  readonly current: TlsMaterial;
  /** Reads CA and client certificate again. */
  readonly load: () => Promise<TlsMaterial>;
  /** Throws if the material cannot be used. */
  readonly apply: (tls: TlsMaterial) => void;
}

/**
 * A minute is early enough: in a rotation, the new CA is distributed beside the old one for hours, and an old client
 * certificate stays valid for as long.
 */
const intervalMs = 60_000;

/** Reloads the TLS material of a transport when its files change. */
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

  /** Never rejects: on failure the old material stays in use. */
  async #refresh(): Promise<void> {
    const { load, apply, logger } = this.#options;
    try {
      const loaded = await load();
      if (!this.#stopped && !isSame(loaded, this.#current)) {
        apply(loaded);
        this.#current = loaded;
        logger.info('new certificates for the connection to the API server are in use');
      }
    } catch (thrown) {
      logger.warn('cannot reload the certificates for the connection to the API server; the old ones stay in use', {
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
