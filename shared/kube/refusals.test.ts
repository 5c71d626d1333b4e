import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '../runtime/fake-clock';
import { errorFromStatus } from './errors';
import { Refusals } from './refusals';

const target = { verb: 'create', resource: 'secrets', group: '', write: true } as never;
const forbidden = (message: string) => errorFromStatus(403, { message } as never, target);
const refused = forbidden('secrets is forbidden: User "reroll" cannot create resource "secrets" in API group ""');

describe('a right', () => {
  it('is missing when it has been refused for a while', async () => {
    const clock = new FakeClock();
    const refusals = new Refusals(clock);
    expect(refusals.isRightMissing(refused)).toBe(false);
    await clock.advance(14_000);
    expect(refusals.isRightMissing(refused)).toBe(false);
    await clock.advance(1_000);
    expect(refusals.isRightMissing(refused)).toBe(true);
  });

  it.each([
    ['success', undefined],
    ['another failure', new Error('reset')],
    ['a quota', forbidden('secrets "x" is forbidden: exceeded quota: few')],
    ['an admission webhook', forbidden('admission webhook "x" denied the request: no')],
  ])('is not missing for certain after %s in between', async (_what, between) => {
    const clock = new FakeClock();
    const refusals = new Refusals(clock);
    refusals.isRightMissing(refused);
    await clock.advance(20_000);
    expect(refusals.isRightMissing(between)).toBe(false);
    expect(refusals.isRightMissing(refused)).toBe(false);
  });
});
