import { printable } from '../../shared/domain/text/printable';
import { enumerated, titleOf } from '../output/phrases';
import { renderTable, type Column, type TableOptions } from '../output/table';
import { counted, dim, green, red, yellow, type Style } from '../output/text-style';
import { shortAge } from '../output/times';
import type { HistoryRow, ReadHistory } from './read-history';

type Cause = HistoryRow['causes'][number];

const outcomeStyles: Readonly<Record<string, Style>> = {
  ...{ healthy: green, rolling: yellow, unhealthy: red, failed: red, superseded: dim, unknown: dim },
};

export interface HistoryTextOptions extends TableOptions {
  readonly nowMs: number;
  readonly allNamespaces: boolean;
  /** Which restarts were asked for: `of deployment/web in the last 24h`. */
  readonly asked: string;
}

/** The restarts as a table, newest first, and how many of them ended how. */
export function historyText({ rows, keptSince }: ReadHistory, options: HistoryTextOptions): string {
  const { nowMs, allNamespaces, asked } = options;
  const columns: readonly Column<HistoryRow>[] = [
    { title: 'AGE', cell: ({ at }) => shortAge(nowMs - Date.parse(at)) },
    { title: 'TIME', cell: ({ at }) => at, isWide: true },
    ...(allNamespaces ? [{ title: 'NAMESPACE', cell: ({ namespace }: HistoryRow) => namespace }] : []),
    { title: 'WORKLOAD', cell: titleOf },
    { title: 'OUTCOME', cell: outcomeOf, style: ({ outcome }) => outcomeStyles[outcome] },
    { title: 'CHANGE', cell: ({ causes }) => listed(causes, ({ change = '' }) => change) },
    { title: 'RESTART', cell: ({ id }) => id, isWide: true },
    { title: 'STRATEGY', cell: ({ strategy = '' }) => strategy, isWide: true },
    { title: 'BECAUSE', cell: becauseOf },
  ];
  const table = rows.length === 0 ? '' : `${renderTable(columns, rows, options)}\n`;
  const since = keptSince === undefined ? '' : `; some of before ${printable(keptSince)} were dropped`;
  return `${table}${summaryOf(rows, asked)}${since}\n`;
}

/** @example '3 restarts in namespace shop in the last 24h: 2 healthy and 1 unhealthy' */
function summaryOf(rows: readonly HistoryRow[], asked: string): string {
  if (rows.length === 0) return `no restart ${asked}`;
  const outcomes = [...new Set(rows.map(({ outcome }) => outcome))];
  const counts = outcomes.map((each) => `${rows.filter(({ outcome }) => outcome === each).length} ${each}`);
  return printable(`${counted(rows.length, 'restart')} ${asked}: ${enumerated(counts)}`);
}

/** Why the end of a restart is not known helps nobody: it is in the JSON. */
function outcomeOf({ outcome, reason }: HistoryRow): string {
  return reason === undefined || outcome === 'unknown' ? outcome : `${outcome}: ${reason}`;
}

/** @example 'ConfigMap app: color by alice' */
function becauseOf({ causes, moreCauses }: HistoryRow): string {
  // An entry that would be too long names none of its causes.
  if (causes.length === 0) return moreCauses === undefined ? '' : counted(moreCauses, 'change');
  const more = moreCauses === undefined ? '' : `; and ${moreCauses} more`;
  return causes.map(describeCause).join('; ') + more;
}

function describeCause({ kind, namespace, name, why, keys = [], author, manager }: Cause): string {
  const what = keys.length === 0 ? why : enumerated(keys);
  const by = author === undefined ? '' : ` by ${author}${manager === undefined ? '' : ` (${manager})`}`;
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}: ${what}${by}`;
}

function listed(causes: readonly Cause[], cell: (cause: Cause) => string): string {
  return [...new Set(causes.map(cell).filter((text) => text !== ''))].join(',');
}
