import { describe, expect, it } from '@jest/globals';
import { adopted, Hand } from './history.fixture';
import type { Rules } from './rules';

const auto = 'reloader.stakater.com/auto';
const ignore = 'reloader.stakater.com/ignore';
const match = 'reloader.stakater.com/match';
const search = 'reloader.stakater.com/search';
const missed = ['missed change', 'missed change'];

/** Every process sees every write within three seconds. */
const well: Partial<Rules> = { shownWithinMs: 3_000 };

/** An engine has looked at `web`, but has not recorded the ConfigMap. */
async function unrecorded(settle: (hand: Hand) => Promise<void>): Promise<Hand> {
  const hand = new Hand();
  await settle(hand);
  await hand.lead();
  await hand.annotate('reroll.dev/baseline', '{"v":1,"n":0,"key":"k","sources":{}}', 'engine-0-1');
  return hand;
}

describe('the judge of what a source says of itself', () => {
  const ignored = async () => await unrecorded(async (hand) => await hand.annotateSource(ignore, 'true'));

  it('asks for nothing while it is to be ignored', async () => {
    const hand = await ignored();
    await hand.edit('value-2-');
    expect(hand.promises(false, well)).toEqual([]);
  });

  it('finds a restart for what is to be ignored', async () => {
    const hand = await ignored();
    await hand.clock.advance(60_000);
    await hand.edit('value-2-');
    await hand.engine('value-2-', true);
    expect(hand.promises(false, well)).toEqual(['restart without reason']);
  });

  it('takes a restart soon after for one that was under way', async () => {
    const hand = await unrecorded(async () => undefined);
    await hand.edit('value-2-');
    await hand.annotateSource(ignore, 'true');
    await hand.engine('value-2-', true);
    expect(hand.promises(false, well)).toEqual([]);
  });

  it.each([
    ['a record', false, []],
    ['a restart', true, ['restart without reason']],
  ])('judges %s for what had changed before it was heeded', async (_what, restart, promises) => {
    const hand = await ignored();
    await hand.edit('value-2-', 10_000);
    await hand.annotateSource(ignore, undefined);
    await hand.engine('value-2-', restart);
    expect(hand.promises(false, well)).toEqual(promises);
  });

  it.each([
    ['takes a restart by a process that had not seen yet that it was ignored and heeded again', 30_000, []],
    ['finds one by a process that had', 3_000, ['restart without reason']],
  ])('%s', async (_what, shownWithinMs, promises) => {
    const hand = await unrecorded(async () => undefined);
    await hand.edit('value-2-');
    await hand.annotateSource(ignore, 'true');
    await hand.annotateSource(ignore, undefined);
    await hand.engine('value-2-', true);
    expect(hand.promises(false, { shownWithinMs })).toEqual(promises);
  });

  it('does not judge it where connections break, and what was ignored was seen together with its end', async () => {
    const hand = await ignored();
    await hand.edit('value-2-', 10_000);
    await hand.annotateSource(ignore, undefined);
    await hand.engine('value-2-', true);
    expect(hand.promises(false, { shownWithinMs: Infinity })).toEqual([]);
  });

  it('finds what changed after it was heeded and was not answered, or only recorded', async () => {
    const hand = await ignored();
    await hand.annotateSource(ignore, undefined);
    await hand.edit('value-2-');
    expect(hand.promises(false, well)).toEqual(missed);
    await hand.engine('value-2-', false);
    expect(hand.promises(false, well)).toEqual(['missed change']);
  });

  it('finds nothing where it holds again what was recorded before it was ignored', async () => {
    const hand = await unrecorded(async () => undefined);
    await hand.engine('value-1-', false);
    await hand.annotateSource(ignore, 'true');
    await hand.edit('value-2-', 120_000);
    await hand.annotateSource(ignore, undefined);
    await hand.edit('value-1-');
    expect(hand.promises(false, well)).toEqual([]);
  });

  it('lets nobody ignore a workload', async () => {
    const hand = await unrecorded(async () => undefined);
    await hand.engine('value-1-', false);
    await hand.annotate(ignore, 'true');
    await hand.edit('value-2-');
    expect(hand.promises(false, well)).toEqual(missed);
  });

  it.each([
    ['takes an edit that was shown together with its match', Infinity, []],
    ['finds one that was shown after it', 3_000, ['missed change']],
  ])('%s for what was there when it began to match', async (_what, shownWithinMs, promises) => {
    const hand = await unrecorded(async (before) => {
      await before.annotate(auto, undefined);
      await before.annotate(search, 'true');
    });
    await hand.annotateSource(match, 'true');
    await hand.edit('value-2-');
    await hand.engine('value-2-', false);
    expect(hand.promises(false, { shownWithinMs })).toEqual(promises);
  });

  it('counts it for who searches as long as it matches', async () => {
    const hand = await unrecorded(async (before) => {
      await before.annotate(auto, undefined);
      await before.annotate(search, 'true');
    });
    await hand.edit('value-2-', 10_000);
    expect(hand.promises(false, well)).toEqual([]);
    await hand.annotateSource(match, 'true');
    await hand.engine('value-2-', false);
    expect(hand.promises(false, well)).toEqual([]);
    await hand.edit('value-3-');
    expect(hand.promises(false, well)).toEqual(missed);
  });
});

describe('the judge of an install that restarts all', () => {
  const all: Partial<Rules> = { ...well, autoReloadAll: true };

  it.each([
    ['nothing of a record that was taken away before the workload opted out', true, []],
    ['the record that stands on a workload that opted out', false, ['missed change']],
  ])('compares with %s', async (_what, isTakenAway, promises) => {
    const hand = await adopted();
    if (isTakenAway) await hand.strip();
    await hand.annotate(auto, 'false');
    await hand.annotate(auto, undefined);
    await hand.edit('value-2-');
    await hand.engine('value-2-', false);
    expect(hand.promises(false, { ...all, shownWithinMs: Infinity })).toEqual(promises);
  });

  it.each([
    ['nothing', undefined, missed],
    ['no', 'false', []],
  ])('reads a workload that says %s', async (_what, value, promises) => {
    const hand = await unrecorded(async (before) => await before.annotate(auto, value));
    if (value === undefined) await hand.engine('value-1-', false);
    await hand.edit('value-2-');
    expect(hand.promises(false, all)).toEqual(promises);
    expect(hand.promises(false, well)).toEqual([]);
  });

  it.each([
    ['a record', false, []],
    ['a restart', true, ['restart without reason']],
  ])('judges %s for what had changed before it was opted in', async (_what, restart, promises) => {
    const hand = await unrecorded(async (before) => await before.annotate(auto, 'false'));
    await hand.edit('value-2-', 10_000);
    await hand.annotate(auto, undefined);
    await hand.engine('value-2-', restart);
    expect(hand.promises(false, all)).toEqual(promises);
  });

  it.each([
    ['takes a restart for a key that was removed', 'value-1-', { size: 'value-2-' }, []],
    ['finds a restart for a key that was changed', 'value-2-', {}, ['restart without reason']],
  ])('%s before it was opted in, if watches are behind', async (_what, color, others, promises) => {
    const hand = await unrecorded(async (before) => {
      await before.annotate(auto, 'false');
      await before.edit('value-1-', 60_000, others);
    });
    await hand.edit(color, 10_000);
    await hand.annotate(auto, undefined);
    await hand.clock.advance(15_000);
    await hand.engine(color, true);
    expect(hand.promises(false, { ...all, shownWithinMs: 15_000 })).toEqual(promises);
  });

  it('finds what changed after it was opted in, once that has been shown', async () => {
    const hand = await unrecorded(async (before) => await before.annotate(auto, 'false'));
    await hand.annotate(auto, undefined);
    await hand.edit('value-2-');
    await hand.engine('value-2-', false);
    expect(hand.promises(false, all)).toEqual(['missed change']);
    expect(hand.promises(false, { ...all, shownWithinMs: 30_000 })).toEqual([]);
  });
});

describe('the judge of what workloads ask for', () => {
  it.each([
    ['counts from the last of two writes that were shown together', Infinity, []],
    ['counts from the first of two writes that were shown apart', 3_000, ['missed change']],
  ])('%s', async (_what, shownWithinMs, promises) => {
    const hand = await unrecorded(async (before) => await before.annotate(auto, undefined));
    await hand.annotate('configmap.reloader.stakater.com/auto', 'true');
    await hand.edit('value-2-');
    await hand.annotate(auto, 'true');
    await hand.engine('value-2-', false);
    expect(hand.promises(false, { shownWithinMs })).toEqual(promises);
  });

  const configMaps = 'configmap.reloader.stakater.com/reload';
  const notConfigMaps = 'configmaps.exclude.reloader.stakater.com/reload';
  const ofConfigMaps = 'configmap.reloader.stakater.com/auto';
  const ofSecrets = 'secret.reloader.stakater.com/auto';

  it.each([
    ['auto, but not this one', { [auto]: 'true', [notConfigMaps]: 'app' }, false],
    ['auto, but not another one', { [auto]: 'true', [notConfigMaps]: 'extra' }, true],
    ['this one by name, and not', { [configMaps]: 'app', [notConfigMaps]: 'app' }, false],
    ['this one by name, though not auto', { [auto]: 'false', [configMaps]: 'app' }, true],
    ['another by name', { [configMaps]: 'extra' }, false],
    ['all that a pattern names', { [configMaps]: 'a.+' }, true],
    ['what a pattern does not name', { [configMaps]: 'ap,p.*' }, false],
    ['either of two', { [configMaps]: 'extra|app' }, true],
    ['ConfigMaps', { [ofConfigMaps]: 'true' }, true],
    ['ConfigMaps, though not auto', { [auto]: 'false', [ofConfigMaps]: 'true' }, true],
    ['Secrets', { [ofSecrets]: 'true' }, false],
    ['what matches', { [search]: 'true' }, false],
  ])('reads: %s', async (_what, annotations, isAsked) => {
    const hand = await unrecorded(async (before) => {
      await before.annotate(auto, undefined);
      for (const [name, value] of Object.entries(annotations)) await before.annotate(name, value);
    });
    await hand.engine('value-1-', false);
    await hand.clock.advance(60_000);
    await hand.edit('value-2-');
    expect(hand.promises(false, well)).toEqual(isAsked ? missed : []);
    await hand.engine('value-2-', true);
    expect(hand.promises(false, well)).toEqual(isAsked ? [] : ['restart without reason']);
  });
});

describe('the judge of what a label leaves out', () => {
  const namespaces: Partial<Rules> = { ...well, leavesOutNamespaces: true };
  const sources: Partial<Rules> = { ...well, leavesOutSources: true };
  const frozen = { frozen: 'true' };
  const dev = { tier: 'dev' };
  const isFrozen = async () => await unrecorded(async (hand) => await hand.label('Namespace', frozen));

  it.each([
    ['a record', false, []],
    ['a restart', true, ['restart without reason']],
  ])('judges %s for what had changed before a namespace was taken in', async (_what, restart, promises) => {
    const hand = await isFrozen();
    await hand.edit('value-2-', 10_000);
    await hand.label('Namespace', {});
    await hand.engine('value-2-', restart);
    expect(hand.promises(false, namespaces)).toEqual(promises);
  });

  it('finds what changed after a namespace was taken in, once that has been shown', async () => {
    const hand = await isFrozen();
    await hand.label('Namespace', {});
    await hand.clock.advance(5_000);
    await hand.edit('value-2-');
    await hand.engine('value-2-', false);
    expect(hand.promises(false, namespaces)).toEqual(['missed change']);
    expect(hand.promises(false, { ...namespaces, shownWithinMs: 30_000 })).toEqual([]);
  });

  it('asks for nothing in one that is left out, and finds a restart there', async () => {
    const hand = await isFrozen();
    await hand.clock.advance(60_000);
    await hand.edit('value-2-');
    expect(hand.promises(false, namespaces)).toEqual([]);
    await hand.engine('value-2-', true);
    expect(hand.promises(false, namespaces)).toContain('left out');
  });

  it.each([
    ['with the label', dev, []],
    ['with another value of it', { tier: 'web' }, missed],
    ['without', {}, missed],
  ])('asks for an answer to what changed of a source %s', async (_how, labels, promises) => {
    const hand = await unrecorded(async () => undefined);
    await hand.engine('value-1-', false);
    await hand.label('ConfigMap', labels);
    await hand.edit('value-2-');
    expect(hand.promises(false, sources)).toEqual(promises);
  });
});
