import { assertNever } from '../../shared/domain/errors';
import { printable } from '../../shared/domain/text/printable';
import { enumerated } from '../output/phrases';
import { renderTable, type Column } from '../output/table';
import { counted, dim, green, red, yellow, type Paint, type Style } from '../output/text-style';
import type { NamedFinding } from './checks';
import { findingStates, type FindingState } from './finding';

const columns: readonly Column<NamedFinding>[] = [
  { title: 'STATE', cell: ({ state }) => state, style: ({ state }) => styleOf(state) },
  { title: 'CHECK', cell: ({ name }) => name },
  { title: 'WHAT', cell: ({ says }) => says },
];

/** A line for each check, what to do about those that are not well, and a count. No line is cut: each may be the one. */
export function checkText(findings: readonly NamedFinding[], paint: Paint): string {
  const table = renderTable(columns, findings, { paint, wide: false, width: undefined });
  const toDo = findings.flatMap(({ name, fix }) => (fix === undefined ? [] : [`  ${name}: ${printable(fix)}`]));
  const sections = [
    table,
    ...(toDo.length === 0 ? [] : [`What to do:\n${toDo.join('\n')}\n`]),
    `${summary(findings)}\n`,
  ];
  return sections.join('\n');
}

/** @example '13 checks: 12 ok and 1 failed' */
function summary(findings: readonly NamedFinding[]): string {
  const counts = findingStates.flatMap((state) => {
    const count = findings.filter((finding) => finding.state === state).length;
    return count === 0 ? [] : [`${count} ${state}`];
  });
  return `${counted(findings.length, 'check')}: ${enumerated(counts)}`;
}

function styleOf(state: FindingState): Style {
  switch (state) {
    case 'ok':
      return green;
    case 'warning':
      return yellow;
    case 'failed':
      return red;
    case 'unknown':
      return dim;
    default:
      return assertNever(state, 'state');
  }
}
