import { describe, expect, it } from '@jest/globals';
import { deferralIn, reportedHoldOf } from './reported-gates';

const bearer = 'ConfigMap reroll/reroll-hold';

describe('deferralIn', () => {
  it('has the time at which a closed gate opens, if it is known', () => {
    expect(deferralIn({ isOpen: true, passed: [] })).toBeUndefined();
    const closed = { gate: 'hold', untilMs: undefined, detail: 'x' } as const;
    expect(deferralIn({ isOpen: false, closed })).toEqual({ gate: 'hold', detail: 'x' });
    expect(deferralIn({ isOpen: false, closed: { ...closed, untilMs: 0 } })).toEqual({
      ...{ gate: 'hold', detail: 'x', until: '1970-01-01T00:00:00.000Z' },
    });
  });
});

describe('reportedHoldOf', () => {
  it('tells a hold that is in force', () => {
    expect(reportedHoldOf(undefined, 0)).toBeUndefined();
    expect(reportedHoldOf({ bearer, untilMs: undefined, because: undefined }, 0)).toEqual({ bearer });
    const hold = { bearer, untilMs: 1_000, because: 'freeze' };
    expect(reportedHoldOf(hold, 999)).toEqual({ bearer, until: '1970-01-01T00:00:01.000Z', because: 'freeze' });
    expect(reportedHoldOf(hold, 1_000)).toBeUndefined();
  });
});
