import type { CanonicalForms } from '../../shared/domain/sources/content-digest';
import type { KubeClient } from '../../shared/kube/client/client';
import type { LeaseTimings } from '../../shared/kube/lease/lease';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import type { BackoffOptions, Random } from '../../shared/runtime/random';
import type { AlertSink } from '../alerts/alert';
import type { HealthChecker } from '../health-checks/health-checker';
import type { Metrics } from '../metrics/metrics';
import type { PostTransport } from '../../shared/outbound/post-transport';
import type { EngineSettings } from '../options/engine-settings';
import type { KeyQueueOptions } from '../queue/key-queue';
import type { DigestKeyring } from '../sources/digest-keyring';
import type { RestartTraces } from '../tracing/restart-traces';

/** The engine's connections to the outside: API server, clock, randomness, log, metrics, receivers. */
export interface EngineDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** How far the clock of the node is ahead of the API server's, for people who ask; undefined before it has answered. */
  readonly clockAheadMs?: () => number | undefined;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Whether the digest key outlives this process, and every replica has it. Default true. */
  readonly keyIsShared?: boolean;
  /** Default: the timings of client-go. */
  readonly leaseTimings?: LeaseTimings;
  /** Undefined: every source is compared by its bytes. */
  readonly forms?: CanonicalForms;
  /** Called when the first lists are processed: what follows is little in comparison. May be called again. */
  readonly onListed?: () => void;
  /** Undefined: restarts are reported only inside the cluster. */
  readonly alerts?: AlertSink | undefined;
  /** Undefined: no health check of a workload is asked. */
  readonly checker?: HealthChecker | undefined;
  /** Undefined: no traces are sent. */
  readonly traces?: RestartTraces | undefined;
  /** Reloader's webhook mode: the receiver that is called for each change, instead of any restart. */
  readonly webhook?: PostTransport | undefined;
}

/** What every part of an engine is built from. */
export interface EngineBase {
  readonly deps: EngineDeps;
  readonly settings: EngineSettings;
  readonly keys: DigestKeyring;
}

/**
 * Workloads written at once, each over its own connection; more would only queue up in the API server. With the one
 * that the renewal of the Lease may need there are 16 connections.
 */
export const concurrency = 15;

const retryBackoff: BackoffOptions = { baseMs: 100, maxMs: 60_000 };

/** The options that all queues of an engine share. */
export function queueOptions({ deps: { clock, random } }: EngineBase): Omit<KeyQueueOptions, 'process'> {
  return { clock, random, concurrency, backoff: retryBackoff };
}
