import type { TargetResult } from './run-target';

const heads = ['target', 'executions', 'per second', 'blocks covered', 'corpus', 'findings'] as const;

/** A table with a row for each target. */
export function describeResults(results: ReadonlyMap<string, TargetResult>): string {
  const rows = [...results].map(([name, { executions, ms, coveredBlocks, blocks, corpus, findings }]) => [
    name,
    String(executions),
    String(Math.round((executions * 1000) / Math.max(1, ms))),
    `${coveredBlocks} of ${blocks} (${Math.round((coveredBlocks * 100) / Math.max(1, blocks))} %)`,
    String(corpus),
    String(findings.length),
  ]);
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  return [heads, ...rows].map(line).join('\n');
}

/** The last line of a run. */
export function describeTotal(results: Iterable<TargetResult>): string {
  const all = [...results];
  const sum = (of: (result: TargetResult) => number): number => all.reduce((total, result) => total + of(result), 0);
  const blocks = `${sum(({ coveredBlocks }) => coveredBlocks)} of ${sum((result) => result.blocks)} blocks`;
  const findings = sum((result) => result.findings.length);
  return `${sum(({ executions }) => executions)} executions, ${all.length} targets, ${blocks}, ${findings} findings`;
}
