import { bold, counted, paintFor, totalLine } from '../output/text-style';
import type { LintReport } from './lint-report';

/** One line for each finding, `FILE:LINE: message`, and one with the totals. */
export function textOutput({ findings, summary }: LintReport, { colour }: { readonly colour: boolean }): string {
  const paint = paintFor(colour);
  const lines = findings.map(({ file, line, message }) => `${paint(bold, `${file}:${line}:`)} ${message}`);
  const found = summary.findings === 0 ? 'no findings' : counted(summary.findings, 'finding');
  return [...lines, totalLine(paint, found, summary), ''].join('\n');
}
