import { describe, expect, it } from '@jest/globals';
import { histogramQuantile, increase, parseExposition } from './exposition';

const histogram = (...counts: readonly number[]): string =>
  ['0.001', '0.002', '0.004', '+Inf'].map((le, i) => `took_bucket{le="${le}"} ${counts[i]}`).join('\n');

const before = parseExposition(`# HELP took How long.\n${histogram(1, 1, 1, 1)}\ncalls_total{code="200"} 5\n`);
const after = parseExposition(`${histogram(51, 91, 101, 101)}\ncalls_total{code="200"} 105\n`);

describe('a scrape', () => {
  it('is read series by series', () => {
    expect(before.get('calls_total{code="200"}')).toBe(5);
    expect(before.size).toBe(5);
  });

  it('is compared with another', () => {
    expect(increase(before, after, 'calls_total{code="200"}')).toBe(100);
    expect(increase(before, after, 'calls_total{code="503"}')).toBe(0);
  });
});

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
    const slow = parseExposition(histogram(1, 1, 1, 101));
    expect(histogramQuantile(before, slow, 'took', 0.5).value).toBe(Infinity);
  });

  it('is none where nothing was seen', () => {
    expect(histogramQuantile(before, before, 'took', 0.5).value).toBeNaN();
  });
});
