import { describe, expect, it } from '@jest/globals';
import { adopted, type Hand } from './history.fixture';

const crowd = { crowd: { sources: 1, users: 1, isWell: true } } as const;

/** Changes the source every 500 ms, for `seconds` seconds. */
async function keepsChanging(hand: Hand, seconds: number, from = 2): Promise<void> {
  for (let index = 0; index < 2 * seconds; index++) await hand.edit(`value-${String(from + index)}-`, 500);
}

describe('the judge, for sources that keep changing', () => {
  it.each([
    ['accepts a restart within settle-max', 8, []],
    ['reports a restart long after settle-max', 16, ['too late']],
  ])('%s', async (_what, seconds, promises) => {
    const hand = await adopted();
    await keepsChanging(hand, seconds);
    await hand.engine(`value-${String(2 * seconds + 1)}-`, true);
    expect(hand.promises(false, crowd)).toEqual(promises);
  });

  it('accepts a restart before the changes end, and demands none if they pause longer than the settle window', async () => {
    const hand = await adopted();
    await keepsChanging(hand, 10);
    await hand.engine('value-21-', true);
    await keepsChanging(hand, 10, 22);
    await hand.engine('value-41-', true);
    expect(hand.promises(false, crowd)).toEqual([]);
    for (let index = 0; index < 16; index++) await hand.edit(`value-${String(100 + index)}-`, 1_500);
    await hand.engine('value-115-', true);
    expect(hand.promises(false, crowd)).toEqual([]);
  });
});
