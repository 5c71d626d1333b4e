import { deferralIn, deferralOf } from '../../shared/domain/gates/reported-gates';
import { candidateOf } from '../../shared/domain/plan/candidates';
import { creationIgnored } from '../../shared/domain/plan/describe-change';
import { judge } from '../../shared/domain/plan/judge';
import type { Term } from '../../shared/domain/plan/plan-input';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import type { Verdict } from '../../shared/domain/plan/verdict';
import { maxInspectionRows, type InspectionQuestion } from '../../shared/domain/protocol/inspection-question';
import type { SourceInspection, SourceUser } from '../../shared/domain/protocol/source-inspection';
import {
  flagsOf,
  inspectionInput,
  isNamespaceWatched,
  isSourceKindWatched,
  type InspectionView,
} from './inspection-view';
import { decisionFacts } from './source-facts';

type SourceQuestion = Extract<InspectionQuestion, { readonly about: 'source' }>;

/** What Reroll knows about one source, and which workloads a change of it would restart. */
export function inspectSource(view: InspectionView, question: SourceQuestion, term: Term): SourceInspection {
  const { kind, namespace, name } = question;
  const flags = flagsOf(view, question);
  const users = view.workloads.usersOf(question).toSorted((left, right) => (left.key < right.key ? -1 : 1));
  // Each user is judged for this source alone, so the work does not depend on what else it uses.
  const rows = users.slice(0, maxInspectionRows).flatMap((workload) => {
    const user = userOf(view, question, workload, term);
    return user ? [{ workload, user }] : [];
  });
  const restarting = rows.flatMap(({ workload, user }) => (user.restarts ? [workload] : []));
  const turnOf = view.gates.turns(question, users, restarting, view.clock.nowMs());
  const named = rows.map(({ workload, user }): SourceUser => {
    const turn = user.restarts && !user.deferred ? turnOf(workload) : undefined;
    return turn ? { ...user, deferred: deferralOf(turn) } : user;
  });
  const stages = view.turns.stagesOf(question);
  const moreUsers = users.length - maxInspectionRows;
  return {
    ...{ v: 1, kind, namespace, name },
    presence: flags ? 'present' : absenceOf(view, question),
    namespaceSelected: isNamespaceWatched(view, namespace) && view.scope.isSelected(namespace),
    ...(view.settings.dryRun && { dryRun: true as const }),
    ...(flags && { ignore: flags.ignore, match: flags.match }),
    ...(stages && { stages }),
    users: named,
    ...(moreUsers > 0 && { moreUsers }),
  };
}

function userOf(
  view: InspectionView,
  source: SourceQuestion,
  workload: TrackedWorkload,
  term: Term,
): SourceUser | undefined {
  const candidate = candidateOf(source, workload);
  if (!candidate) return undefined;
  const { kind, name } = workload.record;
  const { container } = candidate;
  const verdict = judge(candidate, inspectionInput(view, workload, term));
  // The question is about a change that is still to come, so how the source compares now does not matter.
  const { needsContent, ...decidedVerdict } = { ...verdict, comparison: undefined };
  const counts = verdict.comparison !== undefined || needsContent === true;
  const whyNot = counts ? whyNoRestart(view, workload, verdict) : undefined;
  const restarts = counts && whyNot === undefined;
  const deferred = restarts ? deferralIn(view.gates.ask(workload, [source], view.clock.nowMs())) : undefined;
  return {
    ...{ kind, name, ...(container !== undefined && { container }) },
    ...decisionFacts(candidate, decidedVerdict, view.annotationKeys),
    ...(whyNot !== undefined && { why: whyNot }),
    restarts,
    ...(deferred && { deferred }),
  };
}

/** Why the next change of a source that counts for a workload does not restart it; undefined: it does. */
function whyNoRestart(
  { settings }: InspectionView,
  { record }: TrackedWorkload,
  { exists, kind }: Verdict,
): string | undefined {
  if (record.deleting) return 'the workload is being deleted';
  const isCreation = !exists && kind !== 'SecretProviderClass';
  return isCreation && !settings.reloadOnCreate ? creationIgnored : undefined;
}

function absenceOf(view: InspectionView, question: SourceQuestion): SourceInspection['presence'] {
  const { kind, namespace } = question;
  if (!isSourceKindWatched(view, kind) || !isNamespaceWatched(view, namespace)) return 'not-watched';
  return view.knownKinds(namespace).has(kind) || view.isNamed(question) ? 'absent' : 'not-listed';
}
