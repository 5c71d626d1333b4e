import type { OnFailure } from '../../shared/domain/gate-settings/gate-settings';
import { asksFor } from '../../shared/domain/plan/asks-for';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import { systemNamespaces } from '../../shared/domain/kubernetes/system-namespaces';
import type { SourceRef } from '../../shared/domain/sources/source';
import type { EventRecorder } from '../../shared/kube/client/events';
import { journalKey, loadInstallKey } from '../../shared/kube/secrets/install-keys';
import type { RestartTurns } from '../gates/restart-turns';
import type { WorkloadGates } from '../gates/workload-gates';
import type { EngineSettings } from '../options/engine-settings';
import { KeyQueue } from '../queue/key-queue';
import { RollbackReports } from '../reporting/rollback-reports';
import { KeptContents } from '../rollback/kept-contents';
import { KeptStore } from '../rollback/kept-store';
import { PutBacks, type PutBacksOptions } from '../rollback/put-backs';
import { Rollbacks } from '../rollback/rollbacks';
import { StoredSources } from '../rollback/stored-source';
import type { GateParts } from './build-gates';
import type { SourceParts } from './build-sources';
import type { WorkloadParts } from './build-workloads';
import { queueOptions, type EngineBase } from './engine-deps';

/** What keeps contents that work, and puts them back. */
export interface RollbackParts {
  readonly rollbacks: Rollbacks;
  /** Keys of the sources to look at. */
  readonly queue: KeyQueue;
}

export interface RollbackInputs extends Pick<PutBacksOptions, 'owes' | 'hasOther' | 'assertLeading'> {
  readonly events: Pick<EventRecorder, 'record'>;
  readonly sources: SourceParts;
  readonly workloads: WorkloadParts;
  readonly turns: Pick<RestartTurns, 'stoppedBy' | 'isJudging'>;
  readonly onFailure: (source: SourceRef) => OnFailure;
  readonly gates: Pick<WorkloadGates, 'holdOf'>;
  readonly mayAct: () => boolean;
}

export function buildRollbacks({ deps, settings, keys }: EngineBase, inputs: RollbackInputs): RollbackParts {
  const { client, clock, random, logger, metrics } = deps;
  const { annotationKeys, ownNamespace, stages } = settings;
  const { events, owes, assertLeading, turns, onFailure, gates, mayAct } = inputs;
  const workloads = inputs.workloads.index;
  const contents = new StoredSources(client, keys, annotationKeys);
  const store = new KeptStore({
    ...{ client, assertLeading, ignoreKey: annotationKeys.ignore },
    loadKey: async () => await loadInstallKey(client, random, ownNamespace, journalKey),
  });
  const common = { client, clock, workloads, contents, store, owes, assertLeading };
  const sources = inputs.sources.index;
  const restartsFor = (workload: TrackedWorkload, ref: SourceRef): boolean => {
    const source = sources.get(ref);
    return source !== undefined && asksFor(workload, source, settings.policy);
  };
  const rollbacks = new Rollbacks({
    ...{ sources, onFailure, asksFor: restartsFor, mayAct },
    kept: new KeptContents({
      ...{ ...common, healthyForMs: stages.healthyForMs, asksFor: restartsFor },
      isJudging: (source) => turns.isJudging(source),
    }),
    putBacks: new PutBacks({ ...common, hasOther: inputs.hasOther }),
    reports: new RollbackReports({ logger, events, metrics }),
    stoppedBy: (source) => turns.stoppedBy(source),
    isHeld: (source) => gates.holdOf(source, clock.nowMs()) !== undefined,
    onWork: (source, delayMs) => queue.add(source, delayMs),
  });
  const queue: KeyQueue = new KeyQueue({
    ...queueOptions({ deps, settings, keys }),
    // A look holds up to three contents of a mebibyte in memory.
    concurrency: 1,
    process: async (key) => await rollbacks.process(key),
  });
  return { rollbacks, queue };
}

/** What happens when a change of a source has stopped, as the nearest setting says. */
export function onFailureOf(
  settings: EngineSettings,
  sources: SourceParts,
  scope: WorkloadParts['scope'],
  namespaces: GateParts['namespaces'],
): (source: SourceRef) => OnFailure {
  const { rollback, dryRun, ownNamespace, namespaces: watched, namespacesToIgnore } = settings;
  const never = new Set([ownNamespace, ...systemNamespaces, ...namespacesToIgnore]);
  return (source) => {
    const { namespace } = source;
    const isWatched = watched.length === 0 || watched.includes(namespace);
    if (!rollback || dryRun || never.has(namespace) || !isWatched || !scope.isSelected(namespace)) return 'stop';
    return sources.index.get(source)?.gates?.onFailure ?? namespaces.of(namespace)?.onFailure ?? 'stop';
  };
}
