import { describe, expect, it } from '@jest/globals';
import { adopted, type Hand } from './history.fixture';

const crowd = { crowd: { sources: 1, users: 1, isWell: true } } as const;

/** Changes the source every 500 ms, for `seconds` seconds. */
async function keepsChanging(hand: Hand, seconds: number, from = 2): Promise<void> {
  for (let index = 0; index < 2 * seconds; index++) await hand.edit(`value-${String(from + index)}-`, 500);
}

describe('the judge of sources that keep changing', () => {
  it.each([
    ['within the longest wait', 8, []],
    ['long after it', 16, ['too late']],
  ])('is told a restart %s', async (_what, seconds, promises) => {
    const hand = await adopted();
    await keepsChanging(hand, seconds);
    await hand.engine(`value-${String(2 * seconds + 1)}-`, true);
    expect(hand.promises(false, crowd)).toEqual(promises);
  });

  it('takes a restart in the middle, and asks for none where there are breaks', async () => {
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
