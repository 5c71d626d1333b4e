import { expect, it } from '@jest/globals';
import { MetricSamples } from './metric-samples';

const text = `# HELP calls_total Calls.
# TYPE calls_total counter
calls_total{name="a",code="200"} 3
calls_total{name="a",code="500"} 1
calls_total{name="b, \\"quoted\\"",code="200"} 4 1700000000
calls_total_created{name="a"} 1e9
up 1
`;

it('sums the series of a name, all of them or those with some labels', () => {
  const samples = new MetricSamples(text);
  expect(samples.sum('calls_total')).toBe(8);
  expect(samples.sum('calls_total', { code: '200' })).toBe(7);
  expect(samples.sum('calls_total', { code: '500', name: 'a' })).toBe(1);
  expect(samples.sum('up')).toBe(1);
});

it('is 0 where there is no such series: counters appear with their first increment', () => {
  const samples = new MetricSamples(text);
  expect(samples.sum('calls')).toBe(0);
  expect(samples.sum('calls_total', { name: 'c' })).toBe(0);
});
