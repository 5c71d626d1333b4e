/** A scrape of `/metrics`: `name{label="value"}` to its value. */
export type Scrape = ReadonlyMap<string, number>;

export async function scrape(address: string): Promise<Scrape> {
  return parseExposition(await (await fetch(`http://${address}/metrics`)).text());
}

export function parseExposition(text: string): Scrape {
  const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    series.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

/** How much a series grew. */
export function increase(before: Scrape, after: Scrape, series: string): number {
  return (after.get(series) ?? 0) - (before.get(series) ?? 0);
}

/**
 * The value below which a share of what a histogram saw between two scrapes lies: within a bucket by the distance from
 * its bounds, as `histogram_quantile` does. The exact value lies in that bucket, which is returned too.
 */
export function histogramQuantile(
  before: Scrape,
  after: Scrape,
  name: string,
  share: number,
): { readonly value: number; readonly from: number; readonly to: number } {
  const buckets = [...after.keys()]
    .flatMap((series) => {
      const le = series.startsWith(`${name}_bucket{`) ? /le="([^"]+)"/.exec(series)?.[1] : undefined;
      return le === undefined
        ? []
        : [{ to: le === '+Inf' ? Infinity : Number(le), count: increase(before, after, series) }];
    })
    .sort((left, right) => left.to - right.to);
  const wanted = share * (buckets.at(-1)?.count ?? 0);
  let lower = { to: 0, count: 0 };
  for (const bucket of buckets) {
    if (bucket.count >= wanted && bucket.count > lower.count) {
      const part = (wanted - lower.count) / (bucket.count - lower.count);
      const value = bucket.to === Infinity ? Infinity : lower.to + (bucket.to - lower.to) * part;
      return { value, from: lower.to, to: bucket.to };
    }
    lower = bucket;
  }
  return { value: NaN, from: NaN, to: NaN };
}
