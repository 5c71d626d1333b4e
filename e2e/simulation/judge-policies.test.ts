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

describe('the judge, for the annotations of a source', () => {
  const ignored = async () => await unrecorded(async (hand) => await hand.annotateSource(ignore, 'true'));

  it('demands nothing while the source has the ignore annotation', async () => {
    const hand = await ignored();
    await hand.edit('value-2-');
    expect(hand.promises(false, well)).toEqual([]);
  });

  it('reports a restart for an ignored source', async () => {
    const hand = await ignored();
    await hand.clock.advance(60_000);
    await hand.edit('value-2-');
    await hand.engine('value-2-', true);
    expect(hand.promises(false, well)).toEqual(['restart without reason']);
  });

  it('accepts a restart soon after the source is ignored', async () => {
    const hand = await unrecorded(async () => undefined);
    await hand.edit('value-2-');
    await hand.annotateSource(ignore, 'true');
    await hand.engine('value-2-', true);
    expect(hand.promises(false, well)).toEqual([]);
  });

  it.each([
    ['accepts a record', false, []],
    ['reports a restart', true, ['restart without reason']],
  ])('if the source changed while it was ignored, %s', async (_what, restart, promises) => {
    const hand = await ignored();
    await hand.edit('value-2-', 10_000);
    await hand.annotateSource(ignore, undefined);
    await hand.engine('value-2-', restart);
    expect(hand.promises(false, well)).toEqual(promises);
  });

  it.each([
    ['accepts a restart by a process that may not have seen that the source was ignored for a while', 30_000, []],
    [
      'reports a restart by a process that has seen that the source was ignored for a while',
      3_000,
      ['restart without reason'],
    ],
  ])('%s', async (_what, shownWithinMs, promises) => {
    const hand = await unrecorded(async () => undefined);
    await hand.edit('value-2-');
    await hand.annotateSource(ignore, 'true');
    await hand.annotateSource(ignore, undefined);
    await hand.engine('value-2-', true);
    expect(hand.promises(false, { shownWithinMs })).toEqual(promises);
  });

  it('accepts a restart for a change while the source was ignored if connections break', async () => {
    const hand = await ignored();
    await hand.edit('value-2-', 10_000);
    await hand.annotateSource(ignore, undefined);
    await hand.engine('value-2-', true);
    expect(hand.promises(false, { shownWithinMs: Infinity })).toEqual([]);
  });

  it('reports a change that has no restart, or only a record, once the source is no longer ignored', async () => {
    const hand = await ignored();
    await hand.annotateSource(ignore, undefined);
    await hand.edit('value-2-');
    expect(hand.promises(false, well)).toEqual(missed);
    await hand.engine('value-2-', false);
    expect(hand.promises(false, well)).toEqual(['missed change']);
  });

  it('reports nothing if the source returned to its recorded content when it is no longer ignored', async () => {
    const hand = await unrecorded(async () => undefined);
    await hand.engine('value-1-', false);
    await hand.annotateSource(ignore, 'true');
    await hand.edit('value-2-', 120_000);
    await hand.annotateSource(ignore, undefined);
    await hand.edit('value-1-');
    expect(hand.promises(false, well)).toEqual([]);
  });

  it('demands a restart although the workload has the ignore annotation', async () => {
    const hand = await unrecorded(async () => undefined);
    await hand.engine('value-1-', false);
    await hand.annotate(ignore, 'true');
    await hand.edit('value-2-');
    expect(hand.promises(false, well)).toEqual(missed);
  });

  it.each([
    ['accepts a record without a restart if the edit may be shown together with the match annotation', Infinity, []],
    ['reports a record without a restart if the edit is shown after the match annotation', 3_000, ['missed change']],
  ])('%s', async (_what, shownWithinMs, promises) => {
    const hand = await unrecorded(async (before) => {
      await before.annotate(auto, undefined);
      await before.annotate(search, 'true');
    });
    await hand.annotateSource(match, 'true');
    await hand.edit('value-2-');
    await hand.engine('value-2-', false);
    expect(hand.promises(false, { shownWithinMs })).toEqual(promises);
  });

  it('judges a source for a workload with search only while it has the match annotation', async () => {
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

describe('the judge, with --auto-reload-all', () => {
  const all: Partial<Rules> = { ...well, autoReloadAll: true };

  it.each([
    ['no baseline if it was removed before the workload opted out', true, []],
    ['the baseline that is still on a workload that opted out for a while', false, ['missed change']],
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
    ['without an auto annotation as opted in', undefined, missed],
    ['with auto "false" as opted out', 'false', []],
  ])('treats a workload %s', async (_what, value, promises) => {
    const hand = await unrecorded(async (before) => await before.annotate(auto, value));
    if (value === undefined) await hand.engine('value-1-', false);
    await hand.edit('value-2-');
    expect(hand.promises(false, all)).toEqual(promises);
    expect(hand.promises(false, well)).toEqual([]);
  });

  it.each([
    ['accepts a record', false, []],
    ['reports a restart', true, ['restart without reason']],
  ])('if the source changed before the workload opted in, %s', async (_what, restart, promises) => {
    const hand = await unrecorded(async (before) => await before.annotate(auto, 'false'));
    await hand.edit('value-2-', 10_000);
    await hand.annotate(auto, undefined);
    await hand.engine('value-2-', restart);
    expect(hand.promises(false, all)).toEqual(promises);
  });

  it.each([
    ['accepts a restart for a key that was removed', 'value-1-', { size: 'value-2-' }, []],
    ['reports a restart for a key that was changed', 'value-2-', {}, ['restart without reason']],
  ])('%s before the opt-in, if watches are behind', async (_what, color, others, promises) => {
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

  it('reports a change after the opt-in that is only recorded, unless watches may be behind', async () => {
    const hand = await unrecorded(async (before) => await before.annotate(auto, 'false'));
    await hand.annotate(auto, undefined);
    await hand.edit('value-2-');
    await hand.engine('value-2-', false);
    expect(hand.promises(false, all)).toEqual(['missed change']);
    expect(hand.promises(false, { ...all, shownWithinMs: 30_000 })).toEqual([]);
  });
});

describe('the judge, for the annotations of a workload', () => {
  it.each([
    ['counts changes from the last of two annotation writes if they may be shown together', Infinity, []],
    ['counts changes from the first of two annotation writes if they are shown one by one', 3_000, ['missed change']],
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
    ['auto, and an exclusion of this source', { [auto]: 'true', [notConfigMaps]: 'app' }, false],
    ['auto, and an exclusion of another source', { [auto]: 'true', [notConfigMaps]: 'extra' }, true],
    ['the name of this source, and its exclusion', { [configMaps]: 'app', [notConfigMaps]: 'app' }, false],
    ['the name of this source, and auto "false"', { [auto]: 'false', [configMaps]: 'app' }, true],
    ['the name of another source', { [configMaps]: 'extra' }, false],
    ['a pattern that matches this source', { [configMaps]: 'a.+' }, true],
    ['patterns that do not match this source', { [configMaps]: 'ap,p.*' }, false],
    ['a pattern with two alternatives', { [configMaps]: 'extra|app' }, true],
    ['auto for ConfigMaps', { [ofConfigMaps]: 'true' }, true],
    ['auto for ConfigMaps, and auto "false"', { [auto]: 'false', [ofConfigMaps]: 'true' }, true],
    ['auto for Secrets', { [ofSecrets]: 'true' }, false],
    ['search, without the match annotation on the source', { [search]: 'true' }, false],
  ])('decides whether a change restarts, by %s', async (_what, annotations, isAsked) => {
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

describe('the judge, if a label excludes namespaces or sources', () => {
  const namespaces: Partial<Rules> = { ...well, leavesOutNamespaces: true };
  const sources: Partial<Rules> = { ...well, leavesOutSources: true };
  const frozen = { frozen: 'true' };
  const dev = { tier: 'dev' };
  const isFrozen = async () => await unrecorded(async (hand) => await hand.label('Namespace', frozen));

  it.each([
    ['accepts a record', false, []],
    ['reports a restart', true, ['restart without reason']],
  ])('if the source changed while its namespace was excluded, %s', async (_what, restart, promises) => {
    const hand = await isFrozen();
    await hand.edit('value-2-', 10_000);
    await hand.label('Namespace', {});
    await hand.engine('value-2-', restart);
    expect(hand.promises(false, namespaces)).toEqual(promises);
  });

  it('accepts a restart for a change from before its namespace was excluded for a moment, which may not be seen', async () => {
    const hand = await unrecorded(async (before) => await before.label('Namespace', {}));
    await hand.edit('value-2-', 10_000);
    await hand.label('Namespace', frozen);
    await hand.label('Namespace', {});
    await hand.engine('value-2-', true);
    expect(hand.promises(false, namespaces)).toEqual([]);
    expect(hand.promises(false, { ...namespaces, shownWithinMs: 500 })).toEqual(['restart without reason']);
  });

  it('reports a change that is only recorded after its namespace was excluded, unless watches may be behind', async () => {
    const hand = await isFrozen();
    await hand.label('Namespace', {});
    await hand.clock.advance(5_000);
    await hand.edit('value-2-');
    await hand.engine('value-2-', false);
    expect(hand.promises(false, namespaces)).toEqual(['missed change']);
    expect(hand.promises(false, { ...namespaces, shownWithinMs: 30_000 })).toEqual([]);
  });

  it('demands nothing in an excluded namespace, and reports a restart there', async () => {
    const hand = await isFrozen();
    await hand.clock.advance(60_000);
    await hand.edit('value-2-');
    expect(hand.promises(false, namespaces)).toEqual([]);
    await hand.engine('value-2-', true);
    expect(hand.promises(false, namespaces)).toContain('left out');
  });

  it.each([
    ['demands nothing for a change of a source with the label', dev, []],
    ['demands a restart for a change of a source with another value of the label', { tier: 'web' }, missed],
    ['demands a restart for a change of a source without the label', {}, missed],
  ])('%s', async (_how, labels, promises) => {
    const hand = await unrecorded(async () => undefined);
    await hand.engine('value-1-', false);
    await hand.label('ConfigMap', labels);
    await hand.edit('value-2-');
    expect(hand.promises(false, sources)).toEqual(promises);
  });
});
