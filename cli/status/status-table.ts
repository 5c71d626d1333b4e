import { enumerated, titleOf } from '../output/phrases';
import { renderTable, type Column, type TableOptions } from '../output/table';
import { counted, stateStyle } from '../output/text-style';
import { shortAge, within } from '../output/times';
import type { StatusRow } from './read-status';

export function statusTable(
  rows: readonly StatusRow[],
  { nowMs, allNamespaces }: { readonly nowMs: number; readonly allNamespaces: boolean },
  options: TableOptions,
): string {
  const age = (time: string | undefined): string => (time === undefined ? '' : shortAge(nowMs - Date.parse(time)));
  const columns: readonly Column<StatusRow>[] = [
    ...(allNamespaces ? [{ title: 'NAMESPACE', cell: ({ namespace }: StatusRow) => namespace }] : []),
    { title: 'WORKLOAD', cell: titleOf },
    { title: 'STATE', cell: ({ state }) => state, style: ({ state }) => stateStyle(state) },
    {
      title: 'WAITS FOR',
      cell: ({ waitsFor = '', errorCode }) => waitsFor + (errorCode === undefined ? '' : ` (${errorCode})`),
    },
    { title: 'SINCE', cell: ({ since }) => age(since), isWide: true },
    { title: 'UNTIL', cell: ({ until }) => (until === undefined ? '' : within(Date.parse(until) - nowMs)) },
    {
      title: 'LAST RESTART',
      cell: ({ lastRestartAt }) => (lastRestartAt === undefined ? 'never' : age(lastRestartAt)),
    },
    {
      title: 'BY',
      cell: ({ lastRestartBy = [], lastRestartMoreUsers }) => enumerated(lastRestartBy, lastRestartMoreUsers),
    },
    { title: 'DETAIL', cell: ({ detail = '' }) => detail, isWide: true },
  ];
  return renderTable(columns, rows, options);
}

/** @example '3 workloads: 2 waiting and 1 in-step; 1 held' */
export function statusSummary(rows: readonly StatusRow[], where: string): string {
  if (rows.length === 0) return `no workload ${where} asks for restarts`;
  const states = [...new Set(rows.map(({ state }) => state))];
  const counts = states.map((state) => `${rows.filter((row) => row.state === state).length} ${state}`);
  const held = rows.filter(({ waitsFor }) => waitsFor === 'hold').length;
  return `${counted(rows.length, 'workload')}: ${enumerated(counts)}${held === 0 ? '' : `; ${held} held`}`;
}
