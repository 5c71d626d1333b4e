import { describeProblem } from '../../shared/domain/annotations/annotation-problem';
import { candidateOf } from '../../shared/domain/plan/candidates';
import { describeWorkload } from '../../shared/domain/plan/describe-change';
import { plan, type Plan } from '../../shared/domain/plan/plan';
import type { Term } from '../../shared/domain/plan/plan-input';
import { workloadKey, type TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import type { Verdict } from '../../shared/domain/plan/verdict';
import { untrackedTexts } from '../../shared/domain/plan/why-untracked';
import { maxInspectionRows, type InspectionQuestion } from '../../shared/domain/protocol/inspection-question';
import type { UntrackedReason, UsedSource, WorkloadInspection } from '../../shared/domain/protocol/workload-inspection';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { flagsOf, inspectionInput, isNamespaceWatched, type InspectionView } from './inspection-view';
import { decisionFacts, standingFacts } from './source-facts';
import { workloadStatus } from './workload-statuses';

type WorkloadQuestion = Extract<InspectionQuestion, { readonly about: 'workload' }>;

const owing = { none: 'not-owed', adopt: 'not-owed', restart: 'owed', read: 'not-known' } as const;

/** What Reroll knows about one workload. It is planned anew, and nothing is read from the API server for it. */
export function inspectWorkload(
  view: InspectionView,
  { kind, namespace, name }: WorkloadQuestion,
  term: Term,
): WorkloadInspection {
  const identity = { v: 1, kind, namespace, name } as const;
  const workload = view.workloads.get(workloadKey(kind, namespace, name));
  if (!workload) {
    const because = untrackedBecause(view, { kind, namespace, name });
    return { ...identity, tracked: false, because, why: untrackedTexts[because] };
  }
  const { record, baselineProblem } = workload;
  const planned = plan(inspectionInput(view, workload, term));
  const moreSources = planned.verdicts.length - maxInspectionRows;
  return {
    ...identity,
    tracked: true,
    ...workloadStatus(view, workload),
    dryRun: view.settings.dryRun,
    deleting: record.deleting,
    restart: owing[planned.action],
    sources: usedSources(view, workload, planned),
    ...(moreSources > 0 && { moreSources }),
    ...lastRestartOf(view, record),
    ...(baselineProblem !== undefined && { baselineProblem }),
    problems: record.problems.map((problem) => describeProblem(describeWorkload(record), problem)),
  };
}

/** Those that call for a restart come first: a pattern may find thousands of others. */
function usedSources(view: InspectionView, workload: TrackedWorkload, { verdicts }: Plan): readonly UsedSource[] {
  const { namespace } = workload.record;
  const rank = ({ comparison }: Verdict): number => (comparison?.restart === true ? 0 : 1);
  const ordered = verdicts.toSorted((left, right) => rank(left) - rank(right));
  return ordered.slice(0, maxInspectionRows).flatMap((verdict) => {
    const { id, kind, name, container } = verdict;
    const source = { kind, namespace, name };
    const candidate = candidateOf(source, workload);
    if (!candidate) return [];
    const decided = decisionFacts(candidate, verdict, view.annotationKeys);
    const exists = flagsOf(view, source) !== undefined;
    const standing = standingFacts(workload.baseline?.sources.get(id), verdict, exists);
    return [{ kind, name, ...(container !== undefined && { container }), exists, ...decided, ...standing }];
  });
}

function untrackedBecause(
  view: InspectionView,
  { kind, namespace, name }: Pick<WorkloadQuestion, 'kind' | 'namespace' | 'name'>,
): UntrackedReason {
  const { scope, settings, workloads } = view;
  if (settings.policy.ignoredWorkloadKinds.includes(kind)) return 'kind-ignored';
  if (!isNamespaceWatched(view, namespace)) return 'namespace-not-watched';
  // What is known of a workload is from before its namespace was left out: it may ask for restarts by now.
  if (scope.isKnown && !scope.isSelected(namespace)) return 'namespace-not-selected';
  const seen = workloads.untrackedBecause(workloadKey(kind, namespace, name));
  if (seen) return seen;
  if (kind === 'Job' && view.journal.isRecreating(namespace, name)) return 'being-recreated';
  const { resource } = workloadKind(kind);
  const isListed = view
    .watchStatuses()
    .some((watch) => watch.resource === resource && watch.synced && (watch.namespace ?? namespace) === namespace);
  return isListed && scope.isKnown ? 'not-found' : 'not-listed';
}

/** The annotation comes along when a workload is copied: the restart of another is none of this one. */
function lastRestartOf(
  { history }: InspectionView,
  { kind, namespace, name, lastRestart }: WorkloadRecord,
): Pick<Extract<WorkloadInspection, { readonly tracked: true }>, 'lastRestart'> {
  if (!lastRestart) return {};
  const { atMs, id } = lastRestart;
  const entry = history.find(id);
  if (entry && (entry.kind !== kind || entry.namespace !== namespace || entry.name !== name)) return {};
  const { outcome, reason } = entry ?? {};
  return {
    lastRestart: {
      ...{ at: new Date(atMs).toISOString(), id },
      ...(outcome !== undefined && { outcome }),
      ...(reason !== undefined && { reason }),
    },
  };
}
