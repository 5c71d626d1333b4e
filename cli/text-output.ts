import type { LintReport } from './lint-report';

/** ANSI codes to switch a style on and off. */
const bold = ['\u001b[1m', '\u001b[22m'] as const;
const yellow = ['\u001b[33m', '\u001b[39m'] as const;
const green = ['\u001b[32m', '\u001b[39m'] as const;

/** One line for each finding, `FILE:LINE: message`, and one with the totals. */
export function textOutput({ findings, summary }: LintReport, { colour }: { readonly colour: boolean }): string {
  const painted = ([on, off]: readonly [string, string], text: string): string => (colour ? on + text + off : text);
  const lines = findings.map(({ file, line, message }) => `${painted(bold, `${file}:${line}:`)} ${message}`);
  const found = summary.findings === 0 ? 'no findings' : counted(summary.findings, 'finding');
  const failed = summary.errors === 0 ? '' : `, ${counted(summary.errors, 'error')}`;
  const total = `${found}${failed}: ${counted(summary.objects, 'object')} in ${counted(summary.files, 'file')}`;
  return [...lines, painted(summary.findings + summary.errors === 0 ? green : yellow, total), ''].join('\n');
}

/** A line for each file or document that could not be read. */
export function errorLines({ errors }: LintReport): string {
  return errors
    .map(({ file, line, message }) => `${file}:${line === undefined ? '' : `${line}:`} ${message}\n`)
    .join('');
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
