import { describe, expect, it } from '@jest/globals';
import { reviewAnnotations } from './annotation-review';
import { defaultAnnotationKeys as keys, lastReloadedFrom, ownAnnotations } from './annotations';

const review = (metadata: Record<string, string>, template: Record<string, string> = {}, given = keys) =>
  reviewAnnotations(metadata, template, given);

describe('reviewAnnotations', () => {
  it('finds nothing in what is known, nor in what belongs to others', () => {
    const { ignore, ...onWorkloads } = keys;
    const known = [...Object.values<string>(onWorkloads), ...Object.values<string>(ownAnnotations), lastReloadedFrom];
    expect(review(Object.fromEntries(known.map((key) => [key, 'true'])))).toEqual([]);
    expect(
      review(
        { 'helm.sh/chart': 'x', 'notreloader.stakater.com/auto': 'x' },
        { [keys.auto]: 'true', [lastReloadedFrom]: '{}' },
      ),
    ).toEqual([]);
    expect(review({ [ignore]: 'true' })).toHaveLength(1);
  });

  it.each([
    ['configmaps.reloader.stakater.com/reload', keys.configMapReload],
    ['secrets.reloader.stakater.com/auto', keys.secretAuto],
    ['configmap.exclude.reloader.stakater.com/reload', keys.configMapExclude],
    ['secretproviderclass.exclude.reloader.stakater.com/reload', keys.secretProviderClassExclude],
    ['secretproviderclasses.reloader.stakater.com/reload', keys.secretProviderClassReload],
  ])('tells %s from %s', (key, meant) => {
    expect(review({ [key]: 'app' })).toEqual([
      { key, value: 'app', message: 'is not a known annotation and has no effect', fix: `write ${meant}` },
    ]);
  });

  it.each(['reroll.dev/settel', 'reloader.stakater.com/autoo'])('names unknown %s and what is known', (key) => {
    expect(review({ [key]: '1s' })).toEqual([
      expect.objectContaining({ key, fix: expect.stringMatching(/^use one of re/) }),
    ]);
  });

  it('knows the keys that flags have set, and does not judge those they replaced', () => {
    const own = { ...keys, auto: 'x.reloader.stakater.com/on' };
    expect(review({ 'x.reloader.stakater.com/on': 'true', [keys.auto]: 'yes' }, {}, own)).toEqual([]);
    expect(review({ 'x.reloader.stakater.com/on': 'true' })).toHaveLength(1);
  });

  it('says that ignore counts on sources only', () => {
    expect(review({ [keys.ignore]: 'true' })).toEqual([
      expect.objectContaining({ key: keys.ignore, message: expect.stringContaining('on a source only') }),
    ]);
  });

  it.each(['reroll.dev/strategy', 'reroll.dev/unknown', keys.configMapExclude, keys.secretExclude, keys.pausePeriod])(
    'says that %s has no effect on a pod template',
    (key) => {
      expect(review({}, { [key]: 'app' })).toEqual([
        expect.objectContaining({ key, fix: expect.stringContaining('metadata') }),
      ]);
    },
  );

  it.each([
    [keys.auto, 'yes'],
    [keys.configMapAuto, 'tRUE'],
    [keys.secretAuto, ' true'],
    [keys.secretProviderClassAuto, 'on'],
    [keys.search, '1'],
    [keys.search, 'True'],
  ])('says that %s=%j switches nothing on', (key, value) => {
    expect(review({ [key]: value })).toEqual([expect.objectContaining({ key, value })]);
  });

  it.each([
    [keys.auto, ''],
    [keys.auto, 'false'],
    [keys.auto, 'T'],
    [keys.search, 'false'],
    [keys.search, ''],
  ])('has nothing against %s=%j', (key, value) => expect(review({ [key]: value })).toEqual([]));
});
