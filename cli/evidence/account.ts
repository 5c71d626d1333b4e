import { describeProblem } from '../../shared/domain/annotations/annotation-problem';
import { watchedSourceKinds } from '../../shared/domain/lint/lint-subject';
import type { Candidate } from '../../shared/domain/plan/candidates';
import { describeWorkload } from '../../shared/domain/plan/describe-change';
import { nearestFilter } from '../../shared/domain/plan/nearest-filter';
import { untrackedTexts, whyUntracked } from '../../shared/domain/plan/why-untracked';
import { decidingRule } from '../../shared/domain/policy/deciding-rule';
import { decide, describeReason } from '../../shared/domain/policy/policy';
import type { Tolerant } from '../../shared/domain/protocol/tolerant-schema';
import type { UntrackedReason, UsedSource, WorkloadInspection } from '../../shared/domain/protocol/workload-inspection';
import type { WorkloadStatus } from '../../shared/domain/protocol/workload-status';
import { sourceId } from '../../shared/domain/sources/source';
import { parseKeyFilter, type KeyFilter } from '../../shared/domain/text/key-filter';
import { pausedForMs } from '../../shared/domain/workloads/pause';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import type { Install } from './install';
import type { SeenSources } from './seen-sources';

/** What is known of a workload: the answer of the leader, or the same from the objects alone. */
export type WorkloadAccount = Tolerant<WorkloadInspection>;
export type TrackedAccount = Extract<WorkloadAccount, { readonly tracked: true }>;
export type SourceAccount = TrackedAccount['sources'][number];

/** The list of keys that an account tells; undefined: there is none, or a later version knows more than this one. */
export function filterOf(counted: SourceAccount['counted']): KeyFilter | undefined {
  if (!counted) return undefined;
  try {
    return parseKeyFilter(counted.keys);
  } catch {
    return undefined;
  }
}

/** Why an install leaves a workload alone, whatever happens; undefined: it does not. */
export function untrackedBecause(
  record: WorkloadRecord,
  { settings: { policy, selection } }: Install,
  isNamespaceSelected: boolean | undefined,
): UntrackedReason | undefined {
  const { namespaces, namespacesToIgnore } = selection;
  if (policy.ignoredWorkloadKinds.includes(record.kind)) return 'kind-ignored';
  const isWatched =
    namespaces.length > 0 ? namespaces.includes(record.namespace) : !namespacesToIgnore.includes(record.namespace);
  if (!isWatched) return 'namespace-not-watched';
  const because = whyUntracked(record, policy);
  return because ?? (isNamespaceSelected === false ? 'namespace-not-selected' : undefined);
}

/**
 * What the objects tell, decided by the code that the leader decides by. Digests are keyed, so nobody but the leader
 * knows whether content differs from what the pods run with.
 */
export function accountOf(
  record: WorkloadRecord,
  {
    install,
    sources,
    used,
    isNamespaceSelected,
    nowMs,
  }: {
    readonly install: Install;
    readonly sources: SeenSources;
    readonly used: readonly Candidate[];
    readonly isNamespaceSelected: boolean | undefined;
    readonly nowMs: number;
  },
): WorkloadInspection {
  const { kind, namespace, name, lastRestart } = record;
  const identity = { v: 1, kind, namespace, name } as const;
  const because = untrackedBecause(record, install, isNamespaceSelected);
  if (because) return { ...identity, tracked: false, because, why: untrackedTexts[because] };
  return {
    ...{ ...identity, tracked: true, ...statusOf(record, nowMs) },
    ...{ dryRun: install.dryRun, deleting: record.deleting, restart: 'not-known' },
    sources: used.map((source) => sourceAccount(record, source, install, sources)),
    ...(lastRestart && { lastRestart: { at: new Date(lastRestart.atMs).toISOString(), id: lastRestart.id } }),
    problems: record.problems.map((problem) => describeProblem(describeWorkload(record), problem)),
  };
}

/** Only a pause shows on the object itself. */
export function statusOf({ pause }: WorkloadRecord, nowMs: number): WorkloadStatus {
  const leftMs = pausedForMs(pause, nowMs) ?? 0;
  if (leftMs === 0) return { state: 'unknown' };
  return { state: 'waiting', waitsFor: 'pause', until: new Date(nowMs + leftMs).toISOString() };
}

export function sourceAccount(
  record: WorkloadRecord,
  { kind, name, container, keys }: Candidate,
  { settings }: Install,
  sources: SeenSources,
): UsedSource {
  const seen = sources.get(sourceId({ kind, name }));
  const exists = seen === undefined || seen.is === 'hidden' || (seen.is === 'there' && seen.value.isSelected);
  const gates = seen?.is === 'there' ? seen.value.gates : undefined;
  const filtered = nearestFilter(record, { gates });
  const common = {
    ...{ kind, name, ...(container !== undefined && { container }), exists, keys, restarts: false },
    ...(filtered && { counted: { keys: filtered.filter.text, on: filtered.on } }),
    ...(gates?.compare === 'parsed' && { compare: gates.compare }),
  } as const;
  if (!watchedSourceKinds(settings).includes(kind)) {
    return { ...common, decision: 'not-watched', why: 'its kind is not watched', standing: 'not-compared' };
  }
  const { ignore, match } = seen?.is === 'there' ? seen.value : { ignore: false, match: false };
  const { restart, because } = decide(record.policy, record.kind, { kind, name, ignore, match }, settings.policy);
  const rule = decidingRule(because, kind, settings.keys);
  const standing = restart ? (exists ? 'not-read-yet' : 'absent') : 'not-compared';
  return { ...common, decision: because, ...(rule !== undefined && { rule }), why: describeReason(because), standing };
}
