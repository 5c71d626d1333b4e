import type { KubeClient } from '../../shared/kube/client/client';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import type { Random } from '../../shared/runtime/random';
import type { AlertSink } from '../alerts/alert';
import type { Metrics } from '../metrics/metrics';
import type { PostTransport } from '../outbound/post-transport';

/** Everything through which the engine reaches the world. */
export interface EngineDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** The digest key outlives this process, and every replica has it. Default true. */
  readonly keyIsShared?: boolean;
  /** The first lists are taken in: what comes from now on is little beside them. May be called again. */
  readonly onListed?: () => void;
  /** Undefined: restarts are told in the cluster alone. */
  readonly alerts?: AlertSink | undefined;
  /** Reloader's webhook mode: what is called for each change, instead of any restart. */
  readonly webhook?: PostTransport | undefined;
}
