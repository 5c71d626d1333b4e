import { describe, expect, it } from '@jest/globals';
import { adopted, backUp, type Hand } from './history.fixture';
import type { Violation } from './judge';

interface World {
  readonly hand: Hand;
  /** Restores the backup, and lets `thenMs` pass. */
  readonly restore: (thenMs?: number) => Promise<void>;
  readonly owed: () => readonly Violation['promise'][];
  readonly promises: () => readonly Violation['promise'][];
}

/** A judge that sees every write as it happens. The backup is made after the adoption and `first`. */
async function backedUp(first: (hand: Hand) => Promise<void> = async () => undefined): Promise<World> {
  const hand = await adopted();
  await first(hand);
  const { judge, restore } = backUp(hand);
  return {
    hand,
    restore: async (thenMs = 20_000) => {
      restore();
      await hand.clock.advance(thenMs);
    },
    owed: () => judge.owed.map(({ promise }) => promise),
    promises: () => judge.verdict(false).map(({ promise }) => promise),
  };
}

describe('the judge of a restore', () => {
  it('asks for nothing where a change and its restart are undone', async () => {
    const { hand, restore, promises } = await backedUp();
    await hand.edit('value-2-');
    await hand.engine('value-2-', true);
    await restore();
    expect(promises()).toEqual([]);
  });

  it('asks for the restart of a change that comes after it, and once', async () => {
    const { hand, restore, promises } = await backedUp();
    await hand.edit('value-2-');
    await hand.engine('value-2-', true);
    await restore();
    await hand.edit('value-3-');
    expect(promises()).toEqual(['missed change', 'missed change']);
    await hand.engine('value-3-', true);
    expect(promises()).toEqual([]);
    await hand.engine('value-3-', true);
    expect(promises()).toEqual(['restart without reason']);
  });

  it('asks once more for the restart of a change from before the backup that was answered after it', async () => {
    const { hand, restore, owed, promises } = await backedUp(async (changed) => await changed.edit('value-2-'));
    await hand.engine('value-2-', true);
    expect(owed()).toEqual([]);
    await restore();
    expect(owed()).toEqual(['missed change', 'missed change']);
    await hand.engine('value-2-', true);
    expect(promises()).toEqual([]);
  });

  it('asks for the restart where a process puts the record back that was undone', async () => {
    const { hand, restore, owed } = await backedUp(async (changed) => await changed.edit('value-2-'));
    await hand.engine('value-2-', true);
    await restore(1_000);
    await hand.engine('value-2-', false);
    expect(owed()).toEqual(['missed change']);
  });

  it.each([
    ['takes a restart for a content that is no more where nobody could know of that yet', 1_000, []],
    ['finds it where everybody could', 20_000, ['baseline apart from template']],
  ])('%s', async (_what, afterMs, promises) => {
    const world = await backedUp();
    await world.hand.edit('value-2-');
    await world.restore(afterMs);
    await world.hand.engine('value-2-', true);
    await world.hand.clock.advance(20_000);
    await world.hand.engine('value-1-', true);
    expect(world.promises()).toEqual(promises);
  });

  it.each([
    ['takes what a webhook gives of a content that is no more where nobody could know of that yet', 1_000, []],
    ['finds what it gives where everybody could', 20_000, ['baseline apart from template']],
  ])('%s', async (_what, afterMs, promises) => {
    const world = await backedUp();
    await world.hand.edit('value-2-');
    await world.restore(afterMs);
    await world.hand.engine('value-2-', false, undefined, 'dev');
    await world.hand.clock.advance(20_000);
    await world.hand.engine('value-1-', true);
    expect(world.promises()).toEqual(promises);
  });

  it.each([
    ['accepts pods that were started for an undone content, which came back, where nobody could know', 1_000, []],
    ['finds them where everybody could', 20_000, ['missed change']],
  ])('%s', async (_what, afterMs, promises) => {
    const world = await backedUp();
    await world.hand.edit('value-2-');
    await world.restore(afterMs);
    await world.hand.edit('value-3-', 100);
    await world.hand.engine('value-2-', true);
    await world.hand.edit('value-2-');
    expect(world.owed()).toEqual(promises);
  });

  it('takes the record of a content that was undone where its source went before it was listed again', async () => {
    const { hand, restore, promises } = await backedUp();
    await hand.edit('value-2-');
    await restore(1_000);
    await hand.deleteSource();
    await hand.clock.advance(20_000);
    await hand.strip();
    await hand.engine('value-2-', false);
    expect(promises()).toEqual([]);
  });
});
