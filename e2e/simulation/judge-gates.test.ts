import { beforeEach, describe, expect, it } from '@jest/globals';
import { withValueAt } from '../apiserver/json';
import { adopted, type Hand } from './history.fixture';
import type { Rules } from './rules';

const broken = 'restart in spite of a gate';
const hold = 'reroll.dev/hold';
const windows = 'reroll.dev/windows';
const interval = 'reroll.dev/min-interval';
const mode = 'reroll.dev/restart';
const urgent = 'reroll.dev/urgent';
/** A window that is closed all day, apart from one minute at noon. */
const noon = '12:00-12:01';

let hand: Hand;

beforeEach(async () => {
  hand = await adopted();
});

/** Whether a restart began that should not have, in a world in which each process knows everything within a second. */
function isBroken(rules: Partial<Rules> = {}): boolean {
  return hand.promises(false, { gates: {}, knownWithinMs: 1_000, ...rules }).includes(broken);
}

async function restartFor(color: string): Promise<void> {
  await hand.edit(color);
  await hand.restart(color);
}

const bearers = [
  ['workload', async (name: string, value: string | undefined) => await hand.annotate(name, value)],
  ['source', async (name: string, value: string | undefined) => await hand.annotateSource(name, value)],
  ['namespace', async (name: string, value: string | undefined) => await hand.annotateNamespace(name, value)],
] as const;

describe.each(bearers)('the judge, for what a %s says,', (_bearer, annotate) => {
  it.each([
    [hold, 'true'],
    [hold, 'until=2030-01-01T00:00:00Z'],
    [hold, 'whenever'],
    [windows, noon],
    [mode, 'next-rollout'],
  ])('reports a restart in spite of %s: %s, and none after it is lifted', async (name, value) => {
    await annotate(name, value);
    await restartFor('value-2-');
    expect(isBroken()).toBe(true);
    hand = await adopted();
    await annotate(name, value);
    await hand.edit('value-2-');
    await annotate(name, undefined);
    await hand.restart('value-2-');
    expect(isBroken()).toBe(false);
  });

  it.each([
    [hold, 'false'],
    [hold, 'until=2020-01-01T00:00:00Z'],
    [windows, 'always'],
    [windows, 'whenever'],
    [interval, 'soon'],
    [mode, 'now'],
    [urgent, 'true'],
  ])('reports nothing for %s: %s', async (name, value) => {
    await annotate(name, value);
    await restartFor('value-2-');
    await restartFor('value-3-');
    expect(isBroken()).toBe(false);
  });

  it('reports the second restart within the interval', async () => {
    await annotate(interval, '20s');
    await restartFor('value-2-');
    expect(isBroken()).toBe(false);
    await restartFor('value-3-');
    expect(isBroken()).toBe(true);
  });
});

describe('the judge, for what may keep a restart from beginning,', () => {
  it('lets the nearest count', async () => {
    await hand.annotateNamespace(hold, 'true');
    await hand.annotateNamespace(windows, noon);
    await hand.annotateSource(hold, 'false');
    await hand.annotate(windows, 'always');
    await restartFor('value-2-');
    expect(isBroken()).toBe(false);
    await hand.annotate(hold, 'true');
    await restartFor('value-3-');
    expect(isBroken()).toBe(true);
  });

  it('knows a hold of everything, which nothing overrides', async () => {
    await hand.holdEverything();
    await hand.annotate(hold, 'false');
    await restartFor('value-2-');
    expect(isBroken()).toBe(true);
  });

  it('knows that a hold of everything may hold nothing', async () => {
    await hand.holdEverything({ [hold]: 'false' });
    await restartFor('value-2-');
    expect(isBroken()).toBe(false);
  });

  it('knows the flags of the install', async () => {
    await restartFor('value-2-');
    await restartFor('value-3-');
    expect(isBroken({ gates: { windows: noon } })).toBe(true);
    expect(isBroken({ gates: { interval: '20s' } })).toBe(true);
    expect(isBroken({ gates: { windows: '00:00-01:00', interval: '1s' } })).toBe(false);
  });

  it('lets an urgent source pass windows and intervals, and nothing else', async () => {
    await hand.annotateSource(urgent, 'true');
    await hand.annotate(windows, noon);
    await hand.annotate(interval, '2m');
    await restartFor('value-2-');
    await restartFor('value-3-');
    expect(isBroken()).toBe(false);
    await hand.annotate(mode, 'next-rollout');
    await restartFor('value-4-');
    expect(isBroken()).toBe(true);
  });

  it('is content if the restart may begin for one of several changes', async () => {
    await hand.createSecret('dev');
    await hand.engine('value-1-', false, undefined, undefined, 'secret-1-');
    await hand.annotateSource(hold, 'true');
    await hand.edit('value-2-');
    await hand.editSecret('secret-2-');
    const restart = { at: new Date(hand.clock.nowMs()).toISOString(), id: 'ofboth' };
    const told = (object: Parameters<typeof withValueAt>[0]) =>
      withValueAt(object, ['metadata', 'annotations', 'reroll.dev/last-restart'], JSON.stringify(restart));
    await hand.engine('value-2-', true, told, undefined, 'secret-2-');
    expect(isBroken()).toBe(false);
    await hand.annotateNamespace(hold, 'true');
    await hand.editSecret('secret-3-');
    await hand.engine('value-2-', true, told, undefined, 'secret-3-');
    expect(isBroken()).toBe(true);
  });

  it('forgets the last restart if somebody removes what says when it was', async () => {
    await hand.annotate(interval, '2m');
    await restartFor('value-2-');
    await hand.annotate('reroll.dev/last-restart', undefined);
    await restartFor('value-3-');
    expect(isBroken()).toBe(false);
  });

  it('allows a process that leads not to know yet what was stored moments ago', async () => {
    await hand.edit('value-2-');
    await hand.annotateNamespace(hold, 'true');
    await hand.restart('value-2-');
    expect(isBroken({ knownWithinMs: 6_000 })).toBe(false);
    expect(isBroken({ knownWithinMs: 4_000 })).toBe(true);
  });

  it('expects a process that begins to lead to know what is stored', async () => {
    await hand.edit('value-2-');
    await hand.annotateNamespace(hold, 'true');
    await hand.lead('engine-0-2');
    await hand.restart('value-2-', {}, 'engine-0-2');
    expect(isBroken({ knownWithinMs: Infinity })).toBe(true);
    const gatesHidden = [{ fromMs: 0, toMs: 60_000 }];
    expect(isBroken({ knownWithinMs: Infinity, gatesHidden })).toBe(false);
  });

  it('reports a restart that was decided long before it was written', async () => {
    await hand.edit('value-2-');
    const at = new Date(hand.clock.nowMs() - 10_000).toISOString();
    await hand.restart('value-2-', { at });
    expect(isBroken({ shownWithinMs: 3_000 })).toBe(true);
    expect(isBroken({ shownWithinMs: 4_000 })).toBe(false);
  });

  it('asks about Jobs too, which take the place of former ones', async () => {
    hand.addJob({ [hold]: 'true' });
    await hand.edit('value-2-');
    await hand.deleteJob('engine-0-1');
    await hand.createJob('value-2-', JSON.stringify({ at: new Date(hand.clock.nowMs()).toISOString(), id: 'ofjob' }));
    expect(isBroken()).toBe(true);
  });
});

describe('the judge, for a change that is left to the next rollout,', () => {
  it('expects no restart, but one once it is not left any more', async () => {
    await hand.annotateNamespace(mode, 'next-rollout');
    await hand.edit('value-2-');
    expect(hand.promises(false, { gates: {} })).toEqual([]);
    await hand.annotateNamespace(mode, undefined);
    expect(hand.promises(false, { gates: {} })).toContain('missed change');
  });
});
