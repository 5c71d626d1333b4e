import { beforeEach, describe, expect, it } from '@jest/globals';
import { adopted, backUp, type Hand } from './history.fixture';
import { Judge } from './judge';
import { lastRestartAnnotation } from './judge-restart-ids';
import { plainRules } from './rules';

const windows = 'reroll.dev/windows';
const rules = { gates: {}, shownWithinMs: 1_000, knownWithinMs: 1_000 };

let hand: Hand;

beforeEach(async () => {
  hand = await adopted();
});

describe('the judge, for a restart that was kept from beginning,', () => {
  it.each([
    ['00:02-00:05', 130_000, []],
    ['00:02-00:05', 170_000, ['too late']],
    ['00:02-00:03; 00:04-00:05', 250_000, ['too late']],
    ['00:02-00:05', 10_000, ['restart in spite of a gate']],
  ])('expects it soon after a window of %s opened: after %i ms', async (text, atMs, promises) => {
    await hand.annotate(windows, text);
    await hand.edit('value-2-');
    const beginMs = Date.UTC(2026, 0, 1);
    await hand.clock.advance(beginMs + atMs - hand.clock.nowMs());
    await hand.restart('value-2-');
    expect(hand.promises(false, rules)).toEqual(promises);
  });

  it('expects it soon after everything is released', async () => {
    await hand.holdEverything({ 'reroll.dev/hold': 'until=2026-01-01T00:01:00Z' });
    await hand.edit('value-2-');
    await hand.clock.advance(100_000);
    await hand.restart('value-2-');
    expect(hand.promises(false, rules)).toEqual(['too late']);
  });

  it('expects nothing in time if something goes wrong', async () => {
    await hand.edit('value-2-');
    await hand.clock.advance(100_000);
    await hand.restart('value-2-');
    expect(hand.promises(false, { ...rules, shownWithinMs: Infinity })).toEqual([]);
  });

  it('expects nothing in time if others alter what Reroll writes: it tries again only now and then', async () => {
    await hand.edit('value-2-');
    await hand.clock.advance(100_000);
    await hand.restart('value-2-');
    expect(hand.promises(false, rules)).toEqual(['too late']);
    const judge = new Judge({ ...plainRules, ...rules });
    judge.takenOut('Deployment default/web');
    for (const write of hand.server.history()) judge.wrote(write);
    expect(judge.verdict(false)).toEqual([]);
  });

  it.each([
    [50_000, []],
    [100_000, ['too late']],
  ])('expects it soon after somebody has refused it: %i ms later', async (atMs, promises) => {
    await hand.edit('value-2-');
    await hand.clock.advance(100_000);
    const refusedMs = hand.clock.nowMs();
    await hand.clock.advance(atMs);
    await hand.restart('value-2-');
    const judge = new Judge({ ...plainRules, ...rules });
    judge.refused('Deployment default/web', refusedMs);
    judge.refused('Deployment default/other', refusedMs + atMs);
    for (const write of hand.server.history()) judge.wrote(write);
    expect(judge.verdict(false).map(({ promise }) => promise)).toEqual(promises);
  });

  it.each([
    [175_000, []],
    [250_000, ['too late']],
  ])(
    'counts the interval from a restart that came with a write of somebody else: %i ms later',
    async (atMs, promises) => {
      await hand.annotate('reroll.dev/min-interval', '3m');
      await hand.annotate(lastRestartAnnotation, JSON.stringify({ at: new Date(hand.clock.nowMs()).toISOString() }));
      await hand.edit('value-2-');
      await hand.clock.advance(atMs);
      await hand.restart('value-2-');
      expect(hand.promises(false, rules)).toEqual(promises);
    },
  );

  it.each([
    [100_000, 1, []],
    [640_000, 1, ['too late']],
    [100_000, 0, ['too late']],
  ])('waits for a rollout of somebody else: %i ms, with %i pods of a former template', async (atMs, pods, promises) => {
    await hand.annotate('reroll.dev/hold', 'true');
    await hand.edit('value-2-');
    await hand.annotate('reroll.dev/hold', undefined);
    await hand.rollOut('web', pods);
    await hand.clock.advance(atMs);
    await hand.restart('value-2-');
    expect(hand.promises(false, rules)).toEqual(promises);
  });

  it('counts from a restore of etcd', async () => {
    await hand.edit('value-2-');
    const { judge, restore } = backUp(hand, { ...plainRules, ...rules });
    await hand.clock.advance(100_000);
    restore();
    await hand.restart('value-2-');
    expect(judge.verdict(false)).toEqual([]);
  });

  it('counts from the last write that matters', async () => {
    await hand.annotate('reroll.dev/hold', 'true');
    await hand.edit('value-2-');
    await hand.clock.advance(100_000);
    await hand.annotate('reroll.dev/hold', undefined);
    await hand.restart('value-2-');
    expect(hand.promises(false, rules)).toEqual([]);
  });
});
