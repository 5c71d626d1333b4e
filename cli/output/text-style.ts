import type { Environment } from '../../shared/runtime/options/options';

/** ANSI codes to switch a style on and off. */
export type Style = readonly [on: string, off: string];

export const bold: Style = ['\u001b[1m', '\u001b[22m'];
export const dim: Style = ['\u001b[2m', '\u001b[22m'];
export const red: Style = ['\u001b[31m', '\u001b[39m'];
export const yellow: Style = ['\u001b[33m', '\u001b[39m'];
export const green: Style = ['\u001b[32m', '\u001b[39m'];

/** Applies styles, or leaves the text as it is. */
export type Paint = (style: Style, text: string) => string;

/** With or without colours. */
export function paintFor(colour: boolean): Paint {
  return ([on, off], text) => (colour ? on + text + off : text);
}

/** @see https://no-color.org */
export function wantsColour(env: Environment): boolean {
  return (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
}

/** @example counted(2, 'file') === '2 files' */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** The line below all findings: green only if there is nothing to do and nothing failed. */
export function totalLine(
  paint: Paint,
  found: string,
  summary: { readonly files: number; readonly objects: number; readonly findings: number; readonly errors: number },
  where = counted(summary.files, 'file'),
): string {
  const failed = summary.errors === 0 ? '' : `, ${counted(summary.errors, 'error')}`;
  const total = `${found}${failed}: ${counted(summary.objects, 'object')} in ${where}`;
  return paint(summary.findings + summary.errors === 0 ? green : yellow, total);
}

const stateStyles: Readonly<Record<string, Style>> = {
  ...{ 'in-step': green, pending: yellow, waiting: yellow, blocked: red, unhealthy: red },
};

/** The style of a workload's state; undefined for one that this version does not know. */
export function stateStyle(state: string): Style | undefined {
  return stateStyles[state];
}
