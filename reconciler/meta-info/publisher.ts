import { errorMessage } from '../../shared/domain/errors';
import type { KubeClient } from '../../shared/kube/client/client';
import { AlreadyExistsError, ConflictError, undefinedIfNotFound } from '../../shared/kube/errors';
import { createObject, getObject, updateObject } from '../../shared/kube/client/objects';
import { configMaps } from '../../shared/kube/resource';
import type { Clock } from '../../shared/runtime/clock';
import type { Component } from '../../shared/runtime/process/lifecycle';
import type { Logger } from '../../shared/runtime/log/logger';
import { retryUntilDone } from '../../shared/runtime/retry-until-done';
import type { Random } from '../../shared/runtime/random';
import { metaInfoLabels, metaInfoName } from './meta-info';

export interface MetaInfoPublisherOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly namespace: string;
  readonly data: Readonly<Record<string, string>>;
}

const backoff = { baseMs: 1_000, maxMs: 5 * 60_000 };

/** A writer that lost a race reads again. This limit exceeds the number of replicas of an install. */
const maxRaces = 5;

/**
 * Publishes the ConfigMap `reloader-meta-info` once at the start; the last replica wins. Nothing else depends on it: an
 * install without the permission works as well.
 */
export class MetaInfoPublisher implements Component {
  readonly name = 'meta-info';
  readonly #options: MetaInfoPublisherOptions;
  readonly #stop = new AbortController();

  constructor(options: MetaInfoPublisherOptions) {
    this.#options = options;
  }

  start(): void {
    void this.#publish();
  }

  stop(): Promise<void> {
    this.#stop.abort();
    return Promise.resolve();
  }

  /** Never rejects. */
  async #publish(): Promise<void> {
    const { clock, random, logger, namespace } = this.#options;
    await retryUntilDone(async () => await this.#write(), {
      ...{ clock, random, backoff, signal: this.#stop.signal },
      onFailure: (error, attempt) => {
        const fields = { object: `ConfigMap ${namespace}/${metaInfoName}`, error: errorMessage(error) };
        // A missing permission is reported once, not forever.
        if (attempt === 0)
          logger.warn('cannot publish version and options; trying again, everything else continues', fields);
        else logger.debug('cannot publish version and options', fields);
      },
    });
  }

  async #write(): Promise<void> {
    for (let races = 1; ; races++) {
      try {
        await this.#writeOnce();
        return;
      } catch (error) {
        if (races >= maxRaces || !(error instanceof ConflictError || error instanceof AlreadyExistsError)) throw error;
      }
    }
  }

  /** By GET, POST and PUT: the roles of Reloader's chart do not allow PATCH. What others added to the object stays. */
  async #writeOnce(): Promise<void> {
    const { client, namespace, data } = this.#options;
    const limits = { signal: this.#stop.signal };
    const stored = await getObject(client, configMaps, namespace, metaInfoName, limits).catch(undefinedIfNotFound);
    if (!stored) {
      const metadata = { name: metaInfoName, namespace, labels: metaInfoLabels };
      await createObject(
        client,
        configMaps,
        namespace,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata, data },
        limits,
      );
      return;
    }
    const labels = { ...stored.metadata.labels, ...metaInfoLabels };
    if (same(stored['data'], data) && same(stored.metadata.labels, labels)) return;
    const updated = { ...stored, metadata: { ...stored.metadata, labels }, data };
    await updateObject(client, configMaps, namespace, metaInfoName, updated, limits);
  }
}

function same(stored: unknown, wanted: Readonly<Record<string, string>>): boolean {
  if (typeof stored !== 'object' || stored === null) return false;
  const entries = new Map<string, unknown>(Object.entries(stored));
  return (
    entries.size === Object.keys(wanted).length &&
    Object.entries(wanted).every(([key, value]) => entries.get(key) === value)
  );
}
