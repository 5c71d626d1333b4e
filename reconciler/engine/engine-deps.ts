import type { KubeClient } from '../../shared/kube/client/client';
import type { LeaseTimings } from '../../shared/kube/lease/lease';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import type { BackoffOptions, Random } from '../../shared/runtime/random';
import type { AlertSink } from '../alerts/alert';
import type { Metrics } from '../metrics/metrics';
import type { PostTransport } from '../outbound/post-transport';
import type { EngineSettings } from '../options/engine-settings';
import type { KeyQueueOptions } from '../queue/key-queue';
import type { DigestKeyring } from '../sources/digest-keyring';

/** Everything through which the engine reaches the world. */
export interface EngineDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** The digest key outlives this process, and every replica has it. Default true. */
  readonly keyIsShared?: boolean;
  /** Default: those of client-go. */
  readonly leaseTimings?: LeaseTimings;
  /** The first lists are taken in: what comes from now on is little beside them. May be called again. */
  readonly onListed?: () => void;
  /** Undefined: restarts are told in the cluster alone. */
  readonly alerts?: AlertSink | undefined;
  /** Reloader's webhook mode: what is called for each change, instead of any restart. */
  readonly webhook?: PostTransport | undefined;
}

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
