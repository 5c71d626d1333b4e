import type { Change } from '../../shared/domain/plan/change';
import { authorsOf, describeChange, describeWorkload } from '../../shared/domain/plan/describe-change';
import type { AuditDecision, AuditLine } from '../../shared/domain/protocol/audit-line';
import type { LogFields } from '../../shared/runtime/log/logger';
import type { Decided, HistoryTarget } from '../history/history-entry';
import type { RestartCause } from '../../shared/domain/workloads/restart-cause';

type OwnFields = 'time' | 'level' | 'message';
type Fields = Omit<AuditLine, OwnFields> & LogFields;

/** The fields of the one line of the log that says what was decided. */
export function auditOf(decision: AuditDecision, { id, target, strategy, changes }: Decided): Fields {
  return {
    ...auditOfTarget(decision, target),
    restartId: id,
    ...(strategy !== undefined && { strategy }),
    because: changes.map(describeChange),
    sources: changes.map((change) => change.id),
    changes: changes.map(({ changeId }) => changeId),
    ...attributionFields(changes),
  };
}

/** The same for a Job, of which the journal tells. */
export function auditOfJob(
  decision: AuditDecision,
  target: HistoryTarget,
  entry: { readonly restartId: string; readonly sources: readonly string[]; readonly because: readonly string[] },
  told: RestartCause | undefined,
): Fields {
  const { restartId, sources, because } = entry;
  return {
    ...auditOfTarget(decision, target),
    restartId,
    because,
    sources,
    changes: [...(told?.changes.values() ?? [])],
  };
}

/** The same for a source that has a former content again, because the workload was not healthy with its change. */
export function auditOfRollback(
  target: HistoryTarget,
  decided: Pick<AuditLine, 'sources' | 'changes' | 'because' | 'keys'>,
): Fields {
  return { ...auditOfTarget('rolled-back', target), ...decided };
}

function auditOfTarget(decision: AuditDecision, target: HistoryTarget) {
  const { kind, namespace, name } = target;
  return { audit: true, decision, workload: describeWorkload(target), kind, namespace, name } as const;
}

/** The authors of the changes, their field managers, and how the changes were noticed. */
export function attributionFields(changes: readonly Change[]) {
  const known = changes.flatMap(({ attribution }) => attribution ?? []);
  const { users, more } = authorsOf(changes);
  const managers = [...new Set(known.flatMap(({ manager }) => manager ?? []))];
  return {
    ...(users.length > 0 && { users, managers }),
    ...(more > 0 && { moreUsers: more }),
    paths: [...new Set(changes.map(({ attribution }) => attribution?.path ?? 'watch'))],
  };
}
