import { describe, expect, it } from '@jest/globals';
import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import type { Comparison, ComparisonReason } from '../../shared/domain/baseline/comparison';
import type { Verdict } from '../../shared/domain/plan/verdict';
import { decisionFacts, standingFacts } from './source-facts';

const digest = 'd1gestd1gestd1gestd1ge';
const recorded = new Map([['color', digest]]);

function verdict(because: ComparisonReason | undefined, changed: Partial<Verdict & Comparison> = {}): Verdict {
  const { changedKeys, restart = false, ...others } = changed;
  const comparison = because && { because, restart, recorded, ...(changedKeys && { changedKeys }) };
  const source = { id: 'cm/app', kind: 'ConfigMap', name: 'app', container: 'main', uid: 'u', version: '1' } as const;
  return { ...source, whole: digest, exists: true, decision: 'auto', comparison, ...others };
}

const many = Array.from({ length: 25 }, (_, index) => `key-${index}`);

describe('what is recorded and what is', () => {
  it.each<[string, Verdict, typeof recorded | undefined, object]>([
    ['are the same', verdict('unchanged'), recorded, { standing: 'unchanged', restarts: false }],
    [
      'differ in keys',
      verdict('content-changed', { restart: true, changedKeys: ['color'] }),
      recorded,
      { standing: 'changed', changedKeys: ['color'], restarts: true },
    ],
    [
      'differ in unknown keys',
      verdict('in-doubt', { restart: true }),
      recorded,
      { standing: 'changed', restarts: true },
    ],
    ['are not recorded yet', verdict('first-seen'), undefined, { standing: 'not-recorded', restarts: false }],
    [
      'changed before they were recorded',
      verdict('changed-since-birth', { restart: true }),
      undefined,
      { standing: 'changed', restarts: true },
    ],
    [
      'are of a source that is gone',
      verdict('deleted-ignored', { exists: false }),
      recorded,
      { standing: 'absent', restarts: false },
    ],
    [
      'must be read first',
      verdict(undefined, { needsContent: true }),
      recorded,
      { standing: 'not-read-yet', restarts: false },
    ],
    [
      'do not count',
      verdict(undefined, { decision: 'excluded' }),
      recorded,
      { standing: 'not-compared', restarts: false },
    ],
  ])('%s', (_what, judged, before, facts) => {
    expect(standingFacts(before, judged)).toEqual(facts);
    expect(JSON.stringify(standingFacts(before, judged))).not.toContain(digest);
  });

  it('are of a class that is there and was never rotated', () => {
    const judged = verdict('deleted-ignored', { kind: 'SecretProviderClass', exists: false });
    expect(standingFacts(undefined, judged, true).standing).toBe('not-rotated');
    expect(standingFacts(undefined, judged, false).standing).toBe('absent');
    expect(decisionFacts({ keys: 'all' }, judged, defaultAnnotationKeys).why).toBe(
      'no rotation of its secrets has been seen',
    );
  });

  it('differ in more keys than are named', () => {
    const facts = standingFacts(recorded, verdict('content-changed', { restart: true, changedKeys: many }));
    expect(facts).toMatchObject({ changedKeys: many.slice(0, 20), moreChangedKeys: 5 });
  });
});

describe('a decision', () => {
  const facts = (judged: Verdict, keys: 'all' | readonly string[] = 'all') =>
    decisionFacts({ keys }, judged, defaultAnnotationKeys);

  it('has its rule and a phrase', () => {
    expect(facts(verdict(undefined, { decision: 'excluded' }))).toEqual({
      ...{ decision: 'excluded', rule: 'configmaps.exclude.reloader.stakater.com/reload', keys: 'all' },
      why: "the workload's exclude list names the source",
    });
  });

  it('has no rule where its kind is not watched', () => {
    expect(facts(verdict(undefined, { decision: 'not-watched' }))).toEqual({
      ...{ decision: 'not-watched', why: 'its kind is not watched', keys: 'all' },
    });
  });

  it('says that its source must be read first', () => {
    expect(facts(verdict(undefined, { needsContent: true })).why).toBe('the source must be read first');
  });

  it('names a few of many keys', () => {
    expect(facts(verdict('unchanged'), many)).toMatchObject({ keys: many.slice(0, 20), moreKeys: 5 });
    expect('moreKeys' in facts(verdict('unchanged'), ['color'])).toBe(false);
  });
});
