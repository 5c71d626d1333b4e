/** Sum of all series of a metric in the exposition format; `labels` as they are written: only of those that have them. */
export function metricSum(text: string, metric: string, labels = ''): number {
  const lines = text.split('\n').filter((line) => line.startsWith(`${metric} `) || line.startsWith(`${metric}{`));
  return lines
    .filter((line) => line.includes(labels))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}
