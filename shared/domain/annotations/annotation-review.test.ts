import { describe, expect, it } from '@jest/globals';
import { reviewAnnotations } from './annotation-review';
import { defaultAnnotationKeys as keys, lastReloadedFrom, ownAnnotations } from './annotations';

const review = (metadata: Record<string, string>, template: Record<string, string> = {}, given = keys) =>
  reviewAnnotations(metadata, template, given, 100);

describe('reviewAnnotations', () => {
  it('accepts known keys and keys that belong to others', () => {
    const { ignore, ...onWorkloads } = keys;
    const known = [...Object.values<string>(onWorkloads), ...Object.values<string>(ownAnnotations)];
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
  ])('recognises %s as a typo of %s', (key, meant) => {
    expect(review({ [key]: 'app' })).toEqual([
      {
        ...{ code: 'unknown-annotation', key, value: undefined },
        ...{ message: 'is not known and has no effect', fix: `did you mean ${meant}?` },
      },
    ]);
  });

  it('finds unknown keys on the pod template too', () => {
    expect(review({}, { 'reloader.stakater.com/autoo': 'true' })).toEqual([
      expect.objectContaining({ code: 'unknown-annotation', key: 'reloader.stakater.com/autoo' }),
    ]);
  });

  it("reports that Reloader's marker belongs on the pod template", () => {
    expect(review({ [lastReloadedFrom]: '{}' })).toEqual([
      expect.objectContaining({ code: 'wrong-place', key: lastReloadedFrom }),
    ]);
  });

  it('finds no more problems than requested', () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`reroll.dev/x${index}`, '']));
    expect(reviewAnnotations(many, {}, keys, 20)).toHaveLength(20);
  });

  it('knows the keys set by flags, and accepts those they replaced', () => {
    const own = { ...keys, auto: 'x.reloader.stakater.com/on' };
    expect(review({ 'x.reloader.stakater.com/on': 'true', [keys.auto]: 'yes' }, {}, own)).toEqual([]);
    expect(review({ 'x.reloader.stakater.com/on': 'true' })).toHaveLength(1);
  });

  it('reports that ignore counts on sources only', () => {
    expect(review({ [keys.ignore]: 'true' })).toEqual([
      expect.objectContaining({ key: keys.ignore, message: expect.stringContaining('on a source only') }),
    ]);
  });

  it.each(['reroll.dev/strategy', keys.configMapExclude, keys.secretExclude, keys.pausePeriod, keys.rolloutStrategy])(
    'reports that %s has no effect on a pod template',
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
  ])('reports that %s=%j has no effect', (key, value) => {
    expect(review({ [key]: value })).toEqual([expect.objectContaining({ key, value })]);
  });

  it.each([
    [keys.auto, ''],
    [keys.auto, 'false'],
    [keys.auto, 'T'],
    [keys.search, 'false'],
    [keys.search, ''],
  ])('accepts %s=%j', (key, value) => expect(review({ [key]: value })).toEqual([]));
});
