import { HealthChecks, type HealthChecksOptions } from '../gates/health-checks';
import { HeldInstall } from '../gates/held-install';
import { NamespaceGates, type NamespaceGatesChange } from '../gates/namespace-gates';
import { RestartOrder } from '../gates/restart-order';
import { RestartStages, type RestartStagesOptions } from '../gates/restart-stages';
import { RestartTurns } from '../gates/restart-turns';
import { ReturningJobs } from '../gates/returning-jobs';
import { RollingWorkloads } from '../gates/rolling-workloads';
import { WorkloadGates } from '../gates/workload-gates';
import type { HealthChecker } from '../health-checks/health-checker';
import type { SourceParts } from './build-sources';
import type { WorkloadParts } from './build-workloads';
import type { EngineBase } from './engine-deps';

/** What may keep a restart from beginning. */
export interface GateParts {
  readonly namespaces: NamespaceGates;
  readonly heldInstall: HeldInstall;
  readonly workloads: WorkloadGates;
}

export interface GateEvents {
  /** The hold of the install is another one. */
  readonly onInstallChange: () => void;
  readonly onNamespaceChange: (change: NamespaceGatesChange) => void;
}

export function buildGates(
  { settings: { gates: install, stages, ownNamespace, policy } }: EngineBase,
  { index: sources }: SourceParts,
  { onInstallChange, onNamespaceChange }: GateEvents,
): GateParts {
  const namespaces = new NamespaceGates(onNamespaceChange);
  const heldInstall = new HeldInstall(ownNamespace, onInstallChange);
  return {
    namespaces,
    heldInstall,
    workloads: new WorkloadGates({ sources, namespaces, heldInstall, install, policy, stages }),
  };
}

/** Who restarts when, among those that may. */
export function buildTurns(
  { deps: { clock, logger, metrics }, settings: { pace, stages: settings, policy } }: EngineBase,
  parts: { readonly sources: SourceParts; readonly workloads: WorkloadParts; readonly gates: GateParts },
  checker: HealthChecker,
  events: Pick<RestartStagesOptions, 'owes' | 'judgesLast' | 'onTurn' | 'onStopped'> &
    Pick<HealthChecksOptions, 'onChange'>,
): RestartTurns {
  const [sources, index] = [parts.sources.index, parts.workloads.index];
  const returning = new ReturningJobs(index);
  const { namespaces } = parts.gates;
  const rolling = new RollingWorkloads({ clock, onFreed: () => turns.freed() });
  const { owes, onTurn } = events;
  const order = new RestartOrder({
    ...{ clock, workloads: returning, sources, rolling, logger, owes },
    onTurn: (key) => {
      stages.unblocked(key);
      onTurn(key);
    },
  });
  const checks = new HealthChecks({
    ...{ clock, checker },
    onAnswer: (result) => metrics.healthChecksTotal.inc({ result }),
    onChange: (key) => {
      turns.checked(key);
      events.onChange(key);
    },
  });
  const stages: RestartStages = new RestartStages({
    ...{ clock, settings, policy, workloads: returning, sources, namespaces, checks, ...events },
    mayBegin: (workload, source) => parts.gates.workloads.ask(workload, [source], clock.nowMs()).isOpen,
  });
  const turns: RestartTurns = new RestartTurns({
    ...{ clock, pace, workloads: index, sources, namespaces, rolling, order, stages, returning, onTurn },
  });
  return turns;
}
