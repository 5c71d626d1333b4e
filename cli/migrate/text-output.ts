import { objectKey } from '../../shared/domain/kubernetes/object-key';
import { printable } from '../../shared/domain/text/printable';
import { bold, counted, paintFor, totalLine, type Paint } from '../output/text-style';
import type { MigrateReport, ReportedDifference } from './migrate-report';

/** A block of lines for each finding, and a line with the totals. */
export function textOutput(
  { findings, summary }: MigrateReport,
  { colour, isCluster = false }: { readonly colour: boolean; readonly isCluster?: boolean },
): string {
  const paint = paintFor(colour);
  const blocks = findings.map((finding) => [...block(finding, paint), ''].join('\n'));
  const found = summary.findings === 0 ? 'no findings' : counted(summary.findings, 'finding');
  const ready = `nothing to do for ${summary.ready} of ${counted(summary.workloads, 'workload')}`;
  return [...blocks, totalLine(paint, `${found}, ${ready}`, summary, isCluster ? 'the cluster' : undefined), ''].join(
    '\n',
  );
}

function block({ code, today, here, fix, edits, object, file, line }: ReportedDifference, paint: Paint) {
  const { kind, namespace, name = '(not named yet)' } = object;
  const title = printable(`${kind} ${objectKey(namespace, name)}`);
  const places = [...new Set(edits.map(({ action, under }) => headingOf(action, under)))];
  return [
    file === undefined
      ? `${paint(bold, title)} (${code})`
      : `${paint(bold, `${file}:${line ?? 1}:`)} ${title} (${code})`,
    `  today: ${today}`,
    `  here:  ${here}`,
    `  fix:   ${fix}`,
    ...places.flatMap((heading) => [
      `    ${heading}:`,
      ...edits.filter(({ action, under }) => headingOf(action, under) === heading).map((edit) => `      ${edit.line}`),
    ]),
  ];
}

function headingOf(action: 'write' | 'remove', under: string): string {
  return action === 'write' ? `write under ${under}` : `remove from ${under}`;
}
