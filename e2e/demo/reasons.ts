import { defaultAnnotationKeys, ownAnnotations } from '../../shared/domain/annotations/annotations';
import { decide, describeReason, type PolicySettings } from '../../shared/domain/policy/policy';
import { sourceId, type LocalSourceRef } from '../../shared/domain/sources/source';
import { readWorkload } from '../../shared/domain/workloads/workload';
import { workloadKind, type WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import type { KubeObject } from '../apiserver/objects';
import type { LogEntry } from '../reroll-process';
import { namespace } from './shop';

/** A ConfigMap or Secret of the shop. */
export type Source = LocalSourceRef;

/** The reconciler's defaults, which the demo does not change. */
const policySettings: PolicySettings = { autoReloadAll: false, ignoredWorkloadKinds: [] };

/**
 * Why a change of the source did not restart a workload: the reconciler's own reason if it logged one, otherwise the
 * result of the code that it decides with. The reconciler logs nothing about a workload that is not opted in.
 */
export function whyLeftAlone(workload: KubeObject, source: Source, lines: readonly LogEntry[]): string {
  const name = `${workload.kind} ${namespace}/${workload.metadata.name}`;
  const told = lines.find(({ message }) => message === `${name} not restarted`);
  if (told) return becauseOf(told);
  const kind = workloadKind(workload.kind as WorkloadKindName);
  const { policy } = readWorkload(kind, workload, defaultAnnotationKeys, policySettings);
  const decision = decide(policy, kind.kind, { ...source, ignore: false, match: false }, policySettings);
  return decision.restart ? 'not told: the process ended before it could' : describeReason(decision.because);
}

/** Why a workload was restarted, as the reconciler logged it; undefined if the process died before that. */
export function whyRestarted(workload: string, lines: readonly LogEntry[]): string | undefined {
  const [kind = '', name = ''] = workload.split(' ');
  const told = lines.findLast(
    ({ message, restartId }) => message.startsWith(`${kind} ${namespace}/${name} `) && restartId !== undefined,
  );
  return told && becauseOf(told);
}

/** The keys that `reroll.dev/last-restart` names: null if unknown, undefined if it does not name the source. */
export function keysTold(workload: KubeObject, source: Source): readonly string[] | null | undefined {
  const text = workload.metadata.annotations?.[ownAnnotations.lastRestart];
  if (text === undefined) return undefined;
  const { sources } = JSON.parse(text) as { readonly sources: Readonly<Record<string, readonly string[] | null>> };
  return sources[sourceId(source)];
}

function becauseOf({ because }: LogEntry): string {
  return Array.isArray(because) && because.length > 0 ? because.map(String).join('; ') : 'it does not say';
}
