import type { ExportedLabels } from './exported-metrics';
import { readQuery, type Selection } from './promql';

/** Labels that Prometheus adds to every series of a target. */
const targetLabels = ['namespace', 'pod', 'job', 'instance'];

/** The labels that a query may name, by metric of another exporter. */
export type OtherMetrics = Readonly<Record<string, readonly string[]>>;

/** Descriptions of syntax errors in a query and of names in it that nobody exports; empty if there are none. */
export function unknownNames(
  expr: string,
  exported: ReadonlyMap<string, ExportedLabels>,
  others: OtherMetrics = {},
): readonly string[] {
  const { errors, selections, grouping } = readQuery(expr);
  const series: ReadonlyMap<string, ExportedLabels> = new Map([
    ...exported,
    ...Object.entries(others).map(([name, labels]) => [name, anyOf(labels)] as const),
  ]);
  const labels = new Set([
    ...targetLabels,
    ...selections.flatMap(({ metric }) => [...(series.get(metric)?.keys() ?? [])]),
  ]);
  return [
    ...errors.map((error) => `no PromQL: ${error}`),
    ...selections.flatMap((selection) => unknownIn(selection, series.get(selection.metric))),
    ...grouping.filter((label) => !labels.has(label)).map((label) => `no metric of it has the label ${label}`),
  ];
}

function unknownIn({ metric, matchers }: Selection, labels: ExportedLabels | undefined): readonly string[] {
  if (labels === undefined) return [`nobody exports ${metric}`];
  return matchers.flatMap(({ label, operator, value }) => {
    if (!labels.has(label)) return targetLabels.includes(label) ? [] : [`${metric} has no label ${label}`];
    const values = labels.get(label);
    if (values === undefined || operator.endsWith('~')) return [];
    return values.has(value) ? [] : [`${metric} never has ${label}="${value}"`];
  });
}

function anyOf(labels: readonly string[]): ExportedLabels {
  return new Map(labels.map((label) => [label, undefined]));
}
