import { describe, expect, it } from '@jest/globals';
import { MetricSamples } from '../metric-samples';
import { histogramQuantile } from './histogram-quantile';

const histogram = (...counts: readonly number[]): string =>
  ['0.001', '0.002', '0.004', '+Inf'].map((le, i) => `took_bucket{le="${le}"} ${counts[i]}`).join('\n');

const before = new MetricSamples(histogram(1, 1, 1, 1));
const after = new MetricSamples(histogram(51, 91, 101, 101));

describe('a quantile of a histogram', () => {
  it.each([
    [0.25, 0.0005, 0, 0.001],
    [0.5, 0.001, 0, 0.001],
    [0.7, 0.0015, 0.001, 0.002],
    [0.99, 0.0038, 0.002, 0.004],
  ])('%d lies at %d, between the bounds of its bucket', (share, value, from, to) => {
    const found = histogramQuantile(before, after, 'took', share);
    expect(found.value).toBeCloseTo(value);
    expect(found).toMatchObject({ from, to });
  });

  it('is beyond every bound where the last bucket holds it', () => {
    const slow = new MetricSamples(histogram(1, 1, 1, 101));
    expect(histogramQuantile(before, slow, 'took', 0.5).value).toBe(Infinity);
  });

  it('is none where nothing was seen', () => {
    expect(histogramQuantile(before, before, 'took', 0.5).value).toBeNaN();
  });
});
