import { describe, expect, it } from '@jest/globals';
import { adopted, backUp, type Hand } from './history.fixture';
import type { Violation } from './judge';
import { plainRules, type Rules } from './rules';

interface World {
  readonly hand: Hand;
  /** Restores the backup, and lets `thenMs` pass. */
  readonly restore: (thenMs?: number) => Promise<void>;
  readonly owed: () => readonly Violation['promise'][];
  readonly promises: () => readonly Violation['promise'][];
}

/** A judge that sees every write as it happens. The backup is made after the adoption and `first`. */
async function backedUp(
  first: (hand: Hand) => Promise<void> = async () => undefined,
  rules?: Partial<Rules>,
): Promise<World> {
  const hand = await adopted();
  await first(hand);
  const { judge, restore } = backUp(hand, { ...plainRules, ...rules });
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

describe('the judge, after a restore of etcd', () => {
  it('demands nothing if a change and its restart are undone', async () => {
    const { hand, restore, promises } = await backedUp();
    await hand.edit('value-2-');
    await hand.engine('value-2-', true);
    await restore();
    expect(promises()).toEqual([]);
  });

  it('demands one restart for a change that comes after the restore', async () => {
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

  it('demands another restart for a change before the backup whose restart was undone', async () => {
    const { hand, restore, owed, promises } = await backedUp(async (changed) => await changed.edit('value-2-'));
    await hand.engine('value-2-', true);
    expect(owed()).toEqual([]);
    await restore();
    expect(owed()).toEqual(['missed change', 'missed change']);
    await hand.engine('value-2-', true);
    expect(promises()).toEqual([]);
  });

  it('demands the restart even if a process writes the undone baseline again', async () => {
    const { hand, restore, owed } = await backedUp(async (changed) => await changed.edit('value-2-'));
    await hand.engine('value-2-', true);
    await restore(1_000);
    await hand.engine('value-2-', false);
    expect(owed()).toEqual(['missed change']);
  });

  it.each([
    ['accepts a restart for undone content just after the restore, when no process can know of it', 1_000, []],
    [
      'reports a restart for undone content when every process knows of the restore',
      20_000,
      ['baseline apart from template'],
    ],
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
    ['accepts a baseline from the webhook with undone content just after the restore', 1_000, []],
    [
      'reports a baseline from the webhook with undone content when every process knows of the restore',
      20_000,
      ['baseline apart from template'],
    ],
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
    ['accepts a restart for undone content that is stored again later, just after the restore', 1_000, []],
    [
      'reports a restart for undone content that is stored again later, when every process knows of the restore',
      20_000,
      ['missed change'],
    ],
  ])('%s', async (_what, afterMs, promises) => {
    const world = await backedUp();
    await world.hand.edit('value-2-');
    await world.restore(afterMs);
    await world.hand.edit('value-3-', 100);
    await world.hand.engine('value-2-', true);
    await world.hand.edit('value-2-');
    expect(world.owed()).toEqual(promises);
  });

  it.each([
    ['accepts a record of undone content that was kept in memory if the source does not count', 'true', []],
    ['reports a record of undone content if the source counts', undefined, ['baseline apart from template']],
  ])('%s', async (_what, ignore, promises) => {
    const world = await backedUp(async (hand) => await hand.annotateSource('reloader.stakater.com/ignore', ignore));
    await world.hand.edit('value-2-');
    await world.restore();
    await world.hand.engine('value-2-', false);
    expect(world.promises().filter((promise) => promise === 'baseline apart from template')).toEqual(promises);
  });

  it('accepts a record of undone content if the source was deleted before it was listed again', async () => {
    const { hand, restore, promises } = await backedUp();
    await hand.edit('value-2-');
    await restore(1_000);
    await hand.deleteSource();
    await hand.clock.advance(20_000);
    await hand.strip();
    await hand.engine('value-2-', false);
    expect(promises()).toEqual([]);
  });

  it.each([
    ['accepts a Job that is created again for a deletion that was undone', true],
    ['reports a Job that is created again for a deletion that there never was', false],
  ])('%s', async (_what, isDeleted) => {
    const { hand, restore, promises } = await backedUp(
      async (changed) => {
        changed.addJob();
        await changed.edit('value-2-');
        await changed.engine('value-2-', true);
        await changed.createAnew('value-2-');
      },
      { reloadOnDelete: true },
    );
    if (isDeleted) await hand.deleteSource();
    await restore();
    await hand.createAnew(undefined);
    expect(promises().includes('restart without reason')).toBe(!isDeleted);
  });

  it.each([
    ['demands nothing if somebody removed the baseline before a process could know of the restore', 1_000, []],
    ['demands the restart if the baseline was removed later', 20_000, ['missed change']],
  ])('%s', async (_what, afterMs, promises) => {
    const { hand, restore, owed } = await backedUp(async (changed) => await changed.edit('value-2-'));
    await hand.engine('value-2-', true);
    await restore(afterMs);
    await hand.strip();
    await hand.engine('value-2-', false);
    expect(owed()).toEqual(promises);
  });
});
