import { describe, expect, it } from '@jest/globals';
import { describeRollingLimit, parseRollingLimit, RollingLimitError, type RollingLimitSetting } from './rolling-limit';

describe('parseRollingLimit', () => {
  it.each<[string, RollingLimitSetting]>([
    ['5', { count: 5, unit: 'workloads' }],
    ['1 workload', { count: 1, unit: 'workloads' }],
    ['5 workloads', { count: 5, unit: 'workloads' }],
    [' 20  pods ', { count: 20, unit: 'pods' }],
    ['1 pod', { count: 1, unit: 'pods' }],
    ['999999', { count: 999_999, unit: 'workloads' }],
    ['0', 'off'],
    ['0 pods', 'off'],
    ['off', 'off'],
  ])('reads %j', (text, limit) => expect(parseRollingLimit(text)).toEqual(limit));

  it.each(['', '-1', '1.5', '20pods', '25%', '5 nodes', '1000000', 'none', '5 pods 5'])('refuses %j', (text) => {
    expect(() => parseRollingLimit(text)).toThrow(RollingLimitError);
  });

  it('shows little of a long text', () => {
    const problem = new RollingLimitError('x'.repeat(10_000)).message;
    expect(problem.length).toBeLessThan(200);
  });
});

describe('describeRollingLimit', () => {
  it.each([
    ['1', '1 workload'],
    ['5', '5 workloads'],
    ['1 pod', '1 pod'],
    ['20 pods', '20 pods'],
  ])('of %j', (text, told) => {
    const limit = parseRollingLimit(text);
    expect(limit === 'off' ? 'off' : describeRollingLimit(limit)).toBe(told);
  });
});
