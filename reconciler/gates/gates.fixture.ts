import type { GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import {
  policySettings,
  trackedWorkload,
  workloadRecord,
  type WorkloadOptions,
} from '../../shared/domain/plan/records.fixture';
import type { RolloutProgress } from '../../shared/domain/workloads/rollout-progress';
import { withoutStages } from '../../shared/domain/gate-settings/stage-settings';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { HealthChecker } from '../health-checks/health-checker';
import { HealthChecks } from './health-checks';
import { RestartStages } from './restart-stages';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';

/** No workload has health checks that are asked. */
export function noChecks(): HealthChecks {
  const clock = new FakeClock();
  const checker = new HealthChecker({ clock });
  return new HealthChecks({ clock, checker, onAnswer: () => undefined, onChange: () => undefined });
}

/** No source has stages, whatever its users. */
export function noStages(): RestartStages {
  return new RestartStages({
    ...{ clock: new FakeClock(), settings: withoutStages, checks: noChecks(), policy: policySettings },
    workloads: { get: () => undefined, usersOf: () => [], revisionOf: () => 0 },
    sources: { get: () => undefined },
    namespaces: { of: () => undefined },
    ...{
      owes: () => false,
      judgesLast: () => false,
      mayBegin: () => false,
      onTurn: () => undefined,
      onStopped: () => undefined,
    },
  });
}

export interface PacedOptions extends WorkloadOptions {
  readonly gates?: GateSettings;
  readonly state?: RolloutProgress['state'];
  readonly pods?: number;
  readonly pendingPods?: number;
  readonly nodePool?: string;
  readonly lastRestart?: WorkloadRecord['lastRestart'];
  readonly pause?: WorkloadRecord['pause'];
}

/** A tracked workload whose rollout stands as given: healthy and of one pod, unless overridden. */
export function paced({
  gates,
  state = 'healthy',
  pods = 1,
  pendingPods,
  nodePool,
  lastRestart,
  pause,
  ...options
}: PacedOptions) {
  const record: WorkloadRecord = {
    ...workloadRecord(options),
    progress: { state, pods, pendingPods: pendingPods ?? (state === 'rolling' ? pods : 0) },
    ...(gates && { gates }),
    ...(nodePool !== undefined && { nodePool }),
    ...(lastRestart && { lastRestart }),
    ...(pause && { pause }),
  };
  return trackedWorkload(record);
}
