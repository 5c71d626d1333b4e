import { describe, expect, it } from '@jest/globals';
import type { ExportedLabels } from './exported-metrics';
import { unknownNames } from './named-metrics';
import { withoutVariables } from './promql';

const exported = new Map<string, ExportedLabels>([
  ['a_total', new Map([['path', new Set(['watch', 'both'])]])],
  ['b_bucket', new Map([['le', undefined]])],
]);

describe('unknownNames', () => {
  it.each([
    'sum by (namespace, path) (rate(a_total{namespace="x", path="watch"}[5m]))',
    'histogram_quantile(0.9, sum by (le) (rate(b_bucket[5m]))) and on (job) a_total{path=~"w.*"}',
    'up_of_others{name="x"}',
  ])('finds nothing in %s', (expr) => {
    expect(unknownNames(expr, exported, { up_of_others: ['name'] })).toEqual([]);
  });

  it.each([
    ['sum(a_totals)', 'nobody exports a_totals'],
    ['{__name__="a_total"}', 'nobody exports '],
    ['a_total{way="watch"}', 'a_total has no label way'],
    ['a_total{path="wacth"}', 'a_total never has path="wacth"'],
    ['a_total{path!="wacth"}', 'a_total never has path="wacth"'],
    ['sum by (le) (a_total)', 'no metric of it has the label le'],
    ['up_of_others{way="x"}', 'up_of_others has no label way'],
    ['sum(a_total', 'no PromQL: sum(a_total<here>'],
  ])('of %s: %s', (expr, unknown) => {
    expect(unknownNames(expr, exported, { up_of_others: ['name'] })).toEqual([unknown]);
  });
});

describe('withoutVariables', () => {
  it('leaves a query that can be read', () => {
    const expr = 'sum(rate(a_total{namespace="$namespace", job=~"$job"}[$__rate_interval]))';
    expect(withoutVariables(expr)).toBe('sum(rate(a_total{namespace="any", job=~"any"}[5m]))');
  });
});
