import { ContentDigester } from '../shared/domain/content-digest';
import { errorMessage } from '../shared/domain/errors';
import type { KubeClient } from '../shared/kube/client';
import { loadDigestKey } from '../shared/kube/digest-key';
import type { Clock } from '../shared/runtime/clock';
import type { Logger } from '../shared/runtime/logger';
import { persist } from '../shared/runtime/persist';
import type { Random } from '../shared/runtime/random';

export interface InstallKeyOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly namespace: string;
}

const backoff = { baseMs: 500, maxMs: 30_000 };

/** Gets the key under which this install digests, however long that takes: reviews are answered meanwhile. */
export class InstallKey {
  readonly #options: InstallKeyOptions;
  readonly #stop = new AbortController();
  #digester: ContentDigester | undefined;

  constructor(options: InstallKeyOptions) {
    this.#options = options;
  }

  /** Undefined until the key is known. */
  digester(): ContentDigester | undefined {
    return this.#digester;
  }

  start(): void {
    void this.#load();
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Never rejects. */
  async #load(): Promise<void> {
    const { client, clock, logger, namespace, random } = this.#options;
    const key = await persist(async () => await loadDigestKey(client, random, namespace), {
      ...{ clock, random, backoff, signal: this.#stop.signal },
      onFailure: (error) =>
        logger.warn('no digest key yet, changes are not told to the reconcilers', { error: errorMessage(error) }),
    });
    if (key) this.#digester = new ContentDigester(key);
  }
}
