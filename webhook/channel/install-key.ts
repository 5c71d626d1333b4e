import { ContentDigester, type CanonicalForms } from '../../shared/domain/sources/content-digest';
import { errorMessage } from '../../shared/domain/errors';
import type { KubeClient } from '../../shared/kube/client/client';
import { NotFoundError } from '../../shared/kube/errors';
import { digestKey, getInstallKey } from '../../shared/kube/secrets/install-keys';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import { retryUntilDone } from '../../shared/runtime/retry-until-done';
import type { Random } from '../../shared/runtime/random';

export interface InstallKeyOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly namespace: string;
  /** Undefined: every source is compared by its bytes. */
  readonly forms?: CanonicalForms | undefined;
}

const backoff = { baseMs: 500, maxMs: 30_000 };

/**
 * Loads the digest key of this install, however long that takes; reviews are answered meanwhile. The reconciler creates
 * the key. To do so, the webhook would need permission to create any Secret in Reroll's namespace, and an attacker who
 * took it over could mint tokens for every ServiceAccount there.
 */
export class InstallKey {
  readonly #options: InstallKeyOptions;
  readonly #stop = new AbortController();
  #digester: ContentDigester | undefined;
  #isAwaited = false;

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
    const { client, clock, forms, logger, namespace, random } = this.#options;
    const key = await retryUntilDone(async () => await getInstallKey(client, namespace, digestKey), {
      ...{ clock, random, backoff, signal: this.#stop.signal },
      onFailure: (error) => this.#failed(error),
    });
    if (!key) return;
    this.#digester = new ContentDigester(key, undefined, forms);
    if (this.#isAwaited) logger.info('the digest key exists now: changes are reported to the reconcilers');
  }

  #failed(error: unknown): void {
    const { logger, namespace } = this.#options;
    if (!(error instanceof NotFoundError)) {
      logger.warn('no digest key yet: changes are not reported to the reconcilers', { error: errorMessage(error) });
      return;
    }
    // Normal on a first install until a reconciler runs, so logged only once.
    if (this.#isAwaited) return;
    this.#isAwaited = true;
    logger.warn(
      `Secret ${namespace}/${digestKey.secretName} does not exist yet: waiting for the reconciler, which creates it when ` +
        'it starts; until then changes are not reported to the reconcilers',
    );
  }
}
