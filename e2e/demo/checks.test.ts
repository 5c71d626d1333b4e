import { describe, expect, it } from '@jest/globals';
import { Checks, type CheckResult } from './checks';

function recorded() {
  const results: CheckResult[] = [];
  return { checks: new Checks((result) => void results.push(result)), results };
}

describe('checks', () => {
  it('begin with nothing', () => {
    expect(recorded().checks.summary).toBe('0 passed, 0 failed');
  });

  it('count what holds and what does not', () => {
    const { checks } = recorded();
    checks.equal('one is one', 1, 1);
    checks.equal('lists are compared by what is in them', ['web'], ['web']);
    checks.equal('one is two', 1, 2);
    expect(checks.summary).toBe('2 passed, 1 failed');
    expect(checks.failed).toBe(1);
  });

  it('tell of a failure what was expected and what was seen', () => {
    const { checks, results } = recorded();
    checks.equal('one restart', ['Deployment web', 'Deployment web'], ['Deployment web']);
    expect(results).toEqual([
      {
        ok: false,
        what: 'one restart',
        expected: "[ 'Deployment web' ]",
        seen: "[ 'Deployment web', 'Deployment web' ]",
      },
    ]);
  });
});
