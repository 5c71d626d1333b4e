import type { Machine } from './machine';

/** One measured value. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** If the value is the median of several runs, the value of each run. */
  readonly runs?: readonly number[];
  /** The limit that the value must meet. */
  readonly bar?: { readonly atMost: number } | { readonly atLeast: number } | { readonly exactly: number };
}

/** What a bench measured. */
export interface Measured {
  /** What the figures depend on: sizes, rates, numbers of runs. */
  readonly conditions: Readonly<Record<string, string | number>>;
  readonly figures: readonly Figure[];
}

export interface BenchResult extends Measured {
  readonly bench: string;
  readonly machine: Machine;
}

/** Whether a figure meets its bar; undefined without a bar. */
export function holds({ value, bar }: Figure): boolean | undefined {
  if (!bar) return undefined;
  if ('exactly' in bar) return value === bar.exactly;
  return 'atMost' in bar ? value <= bar.atMost : value >= bar.atLeast;
}

/** Renders a result for programs, with `holds` beside each bar. */
export function asJson(result: BenchResult): string {
  const figures = result.figures.map((figure) => ({ ...figure, ...(figure.bar && { holds: holds(figure) }) }));
  return JSON.stringify({ ...result, figures }, undefined, 2);
}

/** Renders a result for people. `baseline` has figures of an earlier run, by name. */
export function asText(
  { bench, machine, conditions, figures }: BenchResult,
  baseline: ReadonlyMap<string, number> = new Map(),
): string {
  const { cpu, cores, memoryGib, system, node, loadBefore } = machine;
  const rows = figures.map((figure) => [
    figure.name,
    shown(figure.value, figure.unit),
    spread(figure),
    promise(figure),
    comparison(figure, baseline.get(figure.name)),
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return [
    `bench ${bench}`,
    `  ${cpu}, ${cores} cores, ${memoryGib} GiB; ${system}; Node ${node}; load before ${loadBefore}`,
    ...Object.entries(conditions).map(([name, value]) => `  ${name}: ${value}`),
    '',
    ...rows.map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    ),
  ].join('\n');
}

function shown(value: number, unit: string): string {
  return `${rounded(value)} ${unit}`.trimEnd();
}

function rounded(value: number): string {
  return value.toFixed(Math.abs(value) >= 100 ? 0 : 2);
}

function spread({ runs }: Figure): string {
  if (!runs) return '';
  const [least, most] = [Math.min(...runs), Math.max(...runs)].map(rounded);
  return `median of ${runs.length} (${least ?? ''} to ${most ?? ''})`;
}

/** A report, not a bar: machines differ, and so does their other load. */
function comparison({ value, unit }: Figure, before: number | undefined): string {
  if (before === undefined) return '';
  const percent =
    before === 0 ? '' : `, ${(value / before - 1) * 100 < 0 ? '' : '+'}${((value / before - 1) * 100).toFixed(0)} %`;
  return `before: ${shown(before, unit)}${percent}`;
}

function promise(figure: Figure): string {
  const { bar, unit } = figure;
  if (!bar) return '';
  const [how, limit] =
    'exactly' in bar ? ['exactly', bar.exactly] : 'atMost' in bar ? ['at most', bar.atMost] : ['at least', bar.atLeast];
  return `${holds(figure) === true ? 'holds' : 'MISSED'}: ${how} ${shown(limit, unit)}`;
}
