import type { MetricSamples } from '../metric-samples';

/**
 * A quantile of the observations between two scrapes of a histogram, interpolated linearly within its bucket, like
 * `histogram_quantile` in PromQL. The exact value lies between `from` and `to`, the bounds of that bucket.
 */
export function histogramQuantile(
  before: MetricSamples,
  after: MetricSamples,
  name: string,
  share: number,
): { readonly value: number; readonly from: number; readonly to: number } {
  const bucketName = `${name}_bucket`;
  const buckets = after
    .of(bucketName)
    .flatMap(({ labels: { le }, value }) =>
      le === undefined
        ? []
        : [{ to: le === '+Inf' ? Infinity : Number(le), count: value - before.sum(bucketName, { le }) }],
    )
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
