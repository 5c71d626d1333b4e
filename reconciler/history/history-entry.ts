import { budgets } from '../../shared/domain/budgets';
import type { Change } from '../../shared/domain/plan/change';
import { changedKeysOf, maxNamedSources, shownName, whyOf } from '../../shared/domain/plan/describe-change';
import { maxHistoryKeys, type HistoryCause, type HistoryEntry } from '../../shared/domain/protocol/history';
import { causesTold } from '../../shared/domain/protocol/history-cause';
import { writtenLine, type Ending } from '../../shared/domain/protocol/history-line';
import type { RestartCause } from '../../shared/domain/workloads/restart-cause';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import type { StrategyName } from '../../shared/domain/workloads/workload-settings';

/** The workload that an entry is about. */
export type HistoryTarget = Pick<WorkloadRecord, 'kind' | 'namespace' | 'name' | 'uid'>;

/** A decision that the history is told of. */
export interface Decided {
  readonly id: string;
  readonly atMs: number;
  readonly target: HistoryTarget;
  /** Undefined: it is not known, because somebody else's write brought the restart. */
  readonly strategy: StrategyName | undefined;
  readonly changes: readonly Change[];
}

export function entryOf({ id, atMs, target, strategy, changes }: Decided, ending: Ending): HistoryEntry {
  return bounded({
    ...identityOf(target, id, atMs),
    ...(strategy && { strategy }),
    ...causesOf(changes.map(causeOf)),
    ...ending,
  });
}

/** A restart of which only `reroll.dev/last-restart` tells. */
export function entryOfCause(target: HistoryTarget, cause: RestartCause, ending: Ending): HistoryEntry {
  return bounded({ ...identityOf(target, cause.id, cause.atMs), ...causesOf(causesTold(cause)), ...ending });
}

function identityOf({ kind, namespace, name }: HistoryTarget, id: string, atMs: number) {
  return { at: new Date(atMs).toISOString(), id, kind, namespace, name };
}

function causesOf(causes: readonly HistoryCause[]): Pick<HistoryEntry, 'causes' | 'moreCauses'> {
  const moreCauses = causes.length - maxNamedSources;
  return { causes: causes.slice(0, maxNamedSources), ...(moreCauses > 0 && { moreCauses }) };
}

export function causeOf(change: Change): HistoryCause {
  const { kind, name, attribution } = change;
  const keys = changedKeysOf(change);
  const { firstUser, manager, observedAtMs } = attribution ?? {};
  return {
    kind,
    name,
    change: change.changeId,
    why: whyOf(change),
    ...(keys && keys.length > 0 && { keys: keys.slice(0, maxHistoryKeys).map(shownName) }),
    ...(firstUser !== undefined && { author: shownName(firstUser) }),
    ...(firstUser !== undefined && manager !== undefined && { manager: shownName(manager) }),
    ...(observedAtMs !== undefined && { changedAt: new Date(observedAtMs).toISOString() }),
  };
}

/** The same in {@link budgets.historyEntryBytes}: without the names of keys, and with fewer causes, as far as needed. */
function bounded(entry: HistoryEntry): HistoryEntry {
  if (fits(entry)) return entry;
  const all = entry.causes.length + (entry.moreCauses ?? 0);
  const causes = entry.causes.map(withoutKeys);
  for (let count = causes.length; count > 0; count = Math.floor(count / 2)) {
    const moreCauses = all - count;
    const shorter = { ...entry, causes: causes.slice(0, count), ...(moreCauses > 0 && { moreCauses }) };
    if (fits(shorter)) return shorter;
  }
  return { ...entry, causes: [], moreCauses: all };
}

/** Room for the time and the reason of an end: after a merge, both are in the line of the restart. */
const endBytes = 512;

function fits(entry: HistoryEntry): boolean {
  return writtenLine(entry).length <= budgets.historyEntryBytes - endBytes;
}

function withoutKeys(cause: HistoryCause): HistoryCause {
  return Object.fromEntries(Object.entries(cause).filter(([field]) => field !== 'keys')) as HistoryCause;
}
