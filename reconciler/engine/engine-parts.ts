import type { BackoffOptions } from '../../shared/runtime/random';
import type { EngineSettings } from '../options/engine-settings';
import type { KeyQueueOptions } from '../queue/key-queue';
import type { DigestKeyring } from '../sources/digest-keyring';
import type { EngineDeps } from './engine-deps';

/** What every part of an engine is built from. */
export interface EngineBase {
  readonly deps: EngineDeps;
  readonly settings: EngineSettings;
  readonly keys: DigestKeyring;
}

/**
 * Workloads written at once, each over a connection of its own; more would only queue up in the API server. With that which
 * the renewal of the lease may need they are 16.
 */
export const concurrency = 15;

const retryBackoff: BackoffOptions = { baseMs: 100, maxMs: 60_000 };

/** What the queues of an engine have in common. */
export function queueOptions({ deps: { clock, random } }: EngineBase): Omit<KeyQueueOptions, 'process'> {
  return { clock, random, concurrency, backoff: retryBackoff };
}
