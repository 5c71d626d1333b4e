import type { Clock } from '../../runtime/clock';
import type { Logger } from '../../runtime/log/logger';
import type { Random } from '../../runtime/random';
import type { KubeClient } from '../client/client';
import type { Decoder } from '../wire/decoder';
import type { ReflectorSink } from './delivery';
import type { KubeError } from '../errors';
import type { ReflectorObserver } from '../observers';
import type { Resource } from '../resource';

export interface ReflectorDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly observer?: ReflectorObserver;
}

export interface ReflectorOptions<T> {
  readonly resource: Resource;
  /** Default: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly decoder: Decoder<T>;
  readonly sink: ReflectorSink<T>;
  /** Objects per page of a list; default 500. */
  readonly pageSize?: number;
}

export interface ReflectorStatus {
  /** Whether a complete list has been delivered since the start; for readiness. */
  readonly synced: boolean;
  /** Whether a watch has continued from that list. Before that, no change is seen. */
  readonly begun: boolean;
  /** When the server last sent anything, by the monotonic clock; for liveness. */
  readonly lastActivityMonotonicMs: number;
  /** The error that ended the last attempt; missing if there is none. */
  readonly lastError?: KubeError;
  readonly state: 'starting' | 'listing' | 'watching' | 'backing-off' | 'stopped';
}
