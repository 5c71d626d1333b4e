import type { CanonicalForms } from '../../shared/domain/sources/content-digest';
import { ServerClock } from '../../shared/kube/client/server-clock';
import type { EngineSettings } from '../../reconciler/options/engine-settings';
import { Metrics } from '../../reconciler/metrics/metrics';
import { Reconciler } from '../../reconciler/process/reconciler';
import { defaultSettings } from '../engine-settings';
import { engineUserPrefix } from './engine-user';
import type { Network } from './network';
import type { Incarnation, Program, Replicas } from './replicas';
import { simulatedClient } from './simulated-client';
import { toldMetrics } from './told-metrics';

/** A reconciler process. */
export interface ReconcilerProcess extends Incarnation {
  readonly reconciler: Reconciler;
}

export type Reconcilers = Replicas<ReconcilerProcess>;

/** `settings` overrides the default settings of the engine. */
export function reconcilerProgram(
  network: Network,
  settings: Partial<EngineSettings>,
  forms: CanonicalForms,
): Program<ReconcilerProcess> {
  return {
    prefix: engineUserPrefix,
    start: (process, logger) => {
      const metrics = new Metrics({ countByNamespace: false });
      const { random } = process;
      const clock = new ServerClock(process.clock);
      const client = simulatedClient(network, process, clock, logger);
      const reconciler = new Reconciler(
        { client, clock, forms, random, logger, metrics },
        { ...defaultSettings, ...settings, identity: process.name },
      );
      reconciler.start();
      const told = toldMetrics(metrics.registry);
      return { process, reconciler, metrics: told, lines: logger.lines, stop: async () => await reconciler.stop() };
    },
  };
}

/** Whether every replica runs and has synced its watches. */
export function isComplete({ slots }: Reconcilers): boolean {
  const states = slots.map((current) => current?.reconciler.status.state);
  return states.every((state) => state === 'acting' || state === 'standby');
}
