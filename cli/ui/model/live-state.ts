import {
  historyKeyOf,
  keyOf,
  type HistoryEntry,
  type ItemChanges,
  type LiveMessage,
  type ObjectName,
  type Standing,
  type WorkloadRow,
} from './live-message';

/** All that the page was told. */
export interface LiveState {
  readonly standing: Standing;
  /** The one namespace that the process reads; undefined: all. */
  readonly namespace: string | undefined;
  readonly rows: ReadonlyMap<string, WorkloadRow>;
  /** Newest first. */
  readonly history: readonly HistoryEntry[];
  /** The keys of rows that the last message changed; empty if it brought all. */
  readonly justChanged: readonly string[];
}

export const nothingTold: LiveState = {
  standing: { from: 'asking', missing: [], hasHistory: false },
  namespace: undefined,
  rows: new Map(),
  history: [],
  justChanged: [],
};

/** What is known after a message. What it does not change stays the same object, so that nothing is drawn for it. */
export function told(state: LiveState, { standing, namespace, rows, history }: LiveMessage): LiveState {
  const isNew = rows?.isWhole === true;
  return {
    standing: JSON.stringify(standing) === JSON.stringify(state.standing) ? state.standing : standing,
    namespace,
    rows: rows ? applied(state.rows, rows, keyOf) : state.rows,
    history: history ? newestFirst(state.history, history) : state.history,
    justChanged: rows && !isNew ? rows.changed.map((row) => keyOf(row)) : [],
  };
}

function applied<Item>(
  before: ReadonlyMap<string, Item>,
  { isWhole, changed, removed }: ItemChanges<Item>,
  key: (item: Item) => string,
): ReadonlyMap<string, Item> {
  const items = new Map(isWhole ? [] : before);
  for (const each of removed) items.delete(each);
  for (const item of changed) items.set(key(item), item);
  return items;
}

function newestFirst(before: readonly HistoryEntry[], changes: ItemChanges<HistoryEntry>): readonly HistoryEntry[] {
  const entries = applied(new Map(before.map((entry) => [historyKeyOf(entry), entry])), changes, historyKeyOf);
  return [...entries.values()].toSorted((left, right) => Date.parse(right.at) - Date.parse(left.at));
}

/** Changes when something is told of a workload: how a restart ended does not show in its row. */
export function versionOf({ rows, history }: Pick<LiveState, 'rows' | 'history'>, object: ObjectName): string {
  const key = keyOf(object);
  const outcomes = history.flatMap((entry) => (keyOf(entry) === key ? [`${entry.id} ${entry.outcome}`] : []));
  return JSON.stringify([rows.get(key), outcomes]);
}

/** Nobody listens to more at once. */
const spoken = 3;

/** What a screen reader says of the last message; undefined: nothing. */
export function announcement({ rows, justChanged }: Pick<LiveState, 'rows' | 'justChanged'>): string | undefined {
  if (justChanged.length === 0) return undefined;
  if (justChanged.length > spoken) return `${justChanged.length} workloads changed`;
  return justChanged
    .flatMap((key) => {
      const row = rows.get(key);
      if (!row) return [];
      const waits = row.waitsFor === undefined ? '' : `, waits for ${row.waitsFor}`;
      return [`${row.kind} ${row.name}: ${row.state}${waits}`];
    })
    .join('; ');
}
