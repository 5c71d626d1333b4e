import { describe, expect, it } from '@jest/globals';
import { AnnotationNames } from './annotation-names';
import { defaultAnnotationKeys as keys } from './annotations';

describe('AnnotationNames', () => {
  it.each([
    ['reroll.dev/settel', 'reroll.dev/settle'],
    ['reroll.dev/cron-job-policy', 'reroll.dev/cronjob-policy'],
    ['reroll.dev/owner', undefined],
    ['reloader.stakater.com/autoo', keys.auto],
    ['reloader.stakater.com/Search', keys.search],
    ['configmap.reloader.stakater.com/reloaded', keys.configMapReload],
    ['configmaps.reloader.stakater.com/reload', keys.configMapReload],
    ['secret.exclude.reloader.stakater.com/reload', keys.secretExclude],
    ['reloader.stakater.com/pause-period', keys.pausePeriod],
    ['reloader.stakater.com/reload', keys.configMapReload],
    ['reloader.stakater.com/last-reloaded', undefined],
    ['statefulset.reloader.stakater.com/pause-period', keys.pausePeriod],
    ['reloader.stakater.com/owner', undefined],
    [`x.reloader.stakater.com/${'y'.repeat(60)}`, undefined],
    ['reloader.stakater.io/auto', keys.auto],
    ['configmap.reloader.stackater.com/reload', keys.configMapReload],
    ['reroll.io/settle', 'reroll.dev/settle'],
  ])('%s is unknown; the suggestion is %s', (key, meant) => {
    expect(AnnotationNames.of(keys).unknown(key)).toEqual({ meant });
  });

  it.each([
    ...Object.values<string>({ ...keys }),
    'reroll.dev/baseline',
    'reloader.stakater.com/last-reloaded-from',
    'notreloader.stakater.com/expose',
    'forecastle.stakater.com/expose',
    'example.com/auto',
    'auto',
    'helm.sh/hook',
    'kubectl.kubernetes.io/restartedAt',
  ])('%s is known, or belongs to others', (key) => expect(AnnotationNames.of(keys).unknown(key)).toBeUndefined());

  it('knows the keys set by flags and typos in them, and accepts other keys with their prefix', () => {
    const names = AnnotationNames.of({ ...keys, auto: 'example.com/restart' });
    expect(names.isKnown('example.com/restart')).toBe(true);
    expect(AnnotationNames.of(keys).isKnown('example.com/restart')).toBe(false);
    expect(names.unknown('example.com/restart')).toBeUndefined();
    expect(names.unknown('example.com/restrat')).toEqual({ meant: 'example.com/restart' });
    expect(names.unknown('example.com/owner')).toBeUndefined();
    expect(names.unknown('reloader.stakater.com/autoo')).toEqual({ meant: undefined });
    // The default name may be meant for another install.
    expect(names.unknown(keys.auto)).toBeUndefined();
  });
});
