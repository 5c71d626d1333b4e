import type { WorkloadStatus } from '../../../shared/domain/protocol/workload-status';
import type { WorkloadRow } from './live-message';
import { knownState } from './state-shapes';
import type { View } from './view';

/** What is filtered by. */
export type Filter = Pick<View, 'search' | 'namespace' | 'state'>;

/** How urgent a state is: what somebody must look at is first. */
const urgency: Readonly<Record<WorkloadStatus['state'], number>> = {
  ...{ blocked: 0, unhealthy: 1, waiting: 2, pending: 3, unknown: 4, 'in-step': 5 },
};

/** The urgent ones first, then by namespace, kind and name. */
export function ordered(rows: readonly WorkloadRow[]): readonly WorkloadRow[] {
  return rows.toSorted(byUrgency);
}

/** The rows that fit, in the order in which they are. */
export function filtered(rows: readonly WorkloadRow[], { search, namespace, state }: Filter): readonly WorkloadRow[] {
  const fitsSearch = searchOf(search);
  return rows.filter(
    (row) =>
      (namespace === '' || row.namespace === namespace) &&
      (state === '' || row.state === state) &&
      fitsSearch(textOf(row)),
  );
}

/** Whether a text contains each word of a search, in any case. */
export function searchOf(search: string): (text: string) => boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return (text) => {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
}

function textOf({ kind, namespace, name, state, waitsFor = '', errorCode = '' }: WorkloadRow): string {
  return `${namespace}/${kind}/${name} ${state} ${waitsFor} ${errorCode}`;
}

function byUrgency(left: WorkloadRow, right: WorkloadRow): number {
  return (
    urgencyOf(left.state) - urgencyOf(right.state) ||
    compare(left.namespace, right.namespace) ||
    compare(left.kind, right.kind) ||
    byNumber.compare(left.name, right.name)
  );
}

function urgencyOf(state: string): number {
  return urgency[knownState(state)];
}

/** `web-2` is before `web-10`. */
const byNumber = new Intl.Collator('en', { numeric: true });

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** A choice of a filter, and how many rows it has. */
export interface Choice {
  readonly value: string;
  readonly count: number;
}

/** All namespaces, by name. */
export function namespacesOf(rows: readonly WorkloadRow[]): readonly Choice[] {
  return choices(rows.map(({ namespace }) => namespace)).toSorted((left, right) => compare(left.value, right.value));
}

/** All states, the urgent ones first. A namespace that was chosen narrows the counts. */
export function statesOf(rows: readonly WorkloadRow[], namespace: string): readonly Choice[] {
  const within = namespace === '' ? rows : rows.filter((row) => row.namespace === namespace);
  return choices(within.map(({ state }) => state)).toSorted(
    (left, right) => urgencyOf(left.value) - urgencyOf(right.value),
  );
}

function choices(values: readonly string[]): readonly Choice[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => ({ value, count }));
}
