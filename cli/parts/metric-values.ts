/** The sum of the series of one metric in a Prometheus exposition that have all these labels; undefined if there is none. */
export function metricSum(
  exposition: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const values = exposition.split('\n').flatMap((line) => {
    const [, series = '', given = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    const has = given.split(',');
    return series === name && wanted.every((label) => has.includes(label)) ? [Number(value)] : [];
  });
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
}
