import { describe, expect, it } from '@jest/globals';
import { budgets } from '../budgets';
import { ContentDigester, type CanonicalForms, type ContentDigest } from '../sources/content-digest';
import type { CountedKeys } from '../sources/counted-keys';
import { parseKeyFilter } from '../text/key-filter';
import { compare, type Comparison, type ComparisonInput } from './comparison';
import { detailed, recordedOf, type Recorded } from './recorded';

/** Keys of `.json` are the same if they are without white space. */
const forms: CanonicalForms = (content) =>
  new Map(
    [...content].flatMap(([key, value]) =>
      key.endsWith('.json') ? [[key, Buffer.from(value.toString().replace(/\s/g, ''))] as const] : [],
    ),
  );
const digester = new ContentDigester(Buffer.alloc(32, 7), undefined, forms);
const nextDigester = new ContentDigester(Buffer.alloc(32, 8), digester);
const app = { kind: 'ConfigMap', namespace: 'shop', name: 'app' } as const;
type Data = Readonly<Record<string, string>>;

function content(data: Data, { parsed = false, by = digester } = {}): ContentDigest {
  return by.digest(
    app,
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value)] as const),
    parsed,
  );
}

const parsed = (data: Data): ContentDigest => content(data, { parsed: true });
const only = parseKeyFilter;

interface Asked {
  readonly recorded: Recorded | undefined;
  readonly now: ContentDigest;
  readonly keys: CountedKeys;
  /** What it held when keys that are not recorded began to count. */
  readonly then?: ContentDigest;
  readonly former?: ContentDigest;
}

function compared({ recorded, now, keys, then = now, former }: Asked): Comparison {
  const unasked = (): never => {
    throw new Error('the answer does not rest on it');
  };
  const input: ComparisonInput = {
    ...{ recorded, current: now, keys, reloadOnCreate: false, reloadOnDelete: false },
    ...{ inForce: unasked, whenCounted: () => ({ content: then }), atBirth: () => 'unknown', firstContent: unasked },
    formerContent: (whole) => (former?.whole() === whole ? former : undefined),
  };
  const comparison = compare(input);
  if (comparison === 'metadata-only') throw new Error('all contents are known');
  return comparison;
}

const old = content({ 'app.yaml': 'a: 1', 'comment.md': 'old' });
const commented = content({ 'app.yaml': 'a: 1', 'comment.md': 'new' });
const edited = content({ 'app.yaml': 'a: 2', 'comment.md': 'old' });
const grown = content({ 'app.yaml': 'a: 1', 'comment.md': 'old', 'log.yaml': 'b: 1' });
const shrunk = content({ 'comment.md': 'old' });
const yaml = only('*.yaml');
const noComments = only('!comment.*');

describe('a list of keys', () => {
  it.each<[string, ContentDigest, readonly string[] | undefined]>([
    ['a key that does not count', commented, undefined],
    ['a key that counts', edited, ['app.yaml']],
    ['a new key that counts', grown, ['log.yaml']],
    ['a key that counts, which is removed', shrunk, ['app.yaml']],
  ])('with a change of %s', (_, now, changedKeys) => {
    const recorded = recordedOf(old, yaml);
    const comparison = compared({ recorded, now, keys: yaml });
    expect(comparison.changedKeys).toEqual(changedKeys);
    expect(comparison).toMatchObject({ restart: changedKeys !== undefined, recorded: recordedOf(now, yaml) });
    // Nothing is written for a change that does not count.
    if (!changedKeys) expect(comparison.recorded).toEqual(recorded);
  });

  it.each<[string, CountedKeys, CountedKeys]>([
    ['is added', 'all', yaml],
    ['is removed', yaml, 'all'],
    ['becomes another one', yaml, noComments],
    ['is added, and before the keys were used one by one', ['app.yaml', 'comment.md'], yaml],
    ['stays, and now the keys are used one by one', yaml, ['app.yaml', 'comment.md']],
  ])('restarts nothing when it %s, and is recorded', (_, before, keys) => {
    const recorded = recordedOf(old, before);
    expect(compared({ recorded, now: old, keys })).toMatchObject({ restart: false, recorded: recordedOf(old, keys) });
  });

  it.each<[string, CountedKeys, CountedKeys]>([
    ['becomes another one', yaml, noComments],
    ['is removed', yaml, 'all'],
    ['becomes one that counts less', noComments, yaml],
  ])('keeps a restart that is owed when it %s', (_, before, keys) => {
    const recorded = recordedOf(old, before);
    expect(compared({ recorded, now: edited, keys })).toMatchObject({ restart: true, changedKeys: ['app.yaml'] });
  });

  describe.each<[string, CountedKeys]>([
    ['becomes another one', noComments],
    ['is removed', 'all'],
  ])('when it %s', (_, keys) => {
    const recorded = recordedOf(old, yaml);

    it('keeps a restart that is owed for a key that was added', () => {
      const owed = compared({ recorded, now: grown, keys });
      expect(owed).toMatchObject({ restart: true, changedKeys: ['log.yaml'], recorded: recordedOf(grown, keys) });
    });

    it('owes nothing for a key that was added and is removed again', () => {
      expect(compared({ recorded, now: old, keys, then: grown })).toMatchObject({ restart: false });
    });

    it('says what the restart is owed against, which no later edit of the list changes', () => {
      const both = content({ 'app.yaml': 'a: 2', 'comment.md': 'new', 'log.yaml': 'b: 1' });
      const { former } = compared({ recorded, now: both, keys, then: edited });
      const asked = { recorded: former, keys } as const;
      expect(compared({ ...asked, now: old }).restart).toBe(false);
      expect(compared({ ...asked, now: both, then: both }).changedKeys).toEqual([
        ...(keys === 'all' ? ['app.yaml', 'comment.md', 'log.yaml'] : ['app.yaml', 'log.yaml']),
      ]);
      expect(compared({ ...asked, now: grown, keys: only('*'), then: grown }).changedKeys).toEqual(['log.yaml']);
    });
  });

  it('says what a restart is owed against when it is added', () => {
    const { former } = compared({ recorded: old.whole(), now: edited, keys: yaml, former: old });
    expect(former).toEqual(recordedOf(old, yaml));
  });

  it.each([
    ['has only the id', undefined],
    ['cannot be read', '(app|log).yaml'],
  ])('takes a key as it was when another list came, if what is recorded of the former one %s', (_, list) => {
    const { digests, filter = '' } = detailed(recordedOf(old, yaml));
    const recorded = { digests, filter, ...(list !== undefined && { list }) };
    expect(compared({ recorded, now: grown, keys: noComments })).toMatchObject({ restart: false });
    expect(compared({ recorded, now: grown, keys: noComments, then: old }).changedKeys).toEqual(['log.yaml']);
    expect(compared({ recorded, now: old, keys: yaml }).recorded).toEqual(recordedOf(old, yaml));
  });

  it('compares a key that counts only now with what it was when it began to count', () => {
    const asked = { recorded: recordedOf(old, yaml), now: commented, keys: 'all' } as const;
    expect(compared({ ...asked, then: commented })).toMatchObject({ restart: false });
    expect(compared({ ...asked, then: old })).toMatchObject({ restart: true, changedKeys: ['comment.md'] });
  });

  it('is first compared by the whole with a record from before', () => {
    expect(compared({ recorded: old.whole(), now: old, keys: yaml })).toMatchObject({ restart: false });
    const known = { recorded: old.whole(), keys: yaml, former: old };
    expect(compared({ ...known, now: commented })).toMatchObject({ restart: false });
    expect(compared({ ...known, now: edited })).toMatchObject({ restart: true, changedKeys: ['app.yaml'] });
    const forgotten = compared({ recorded: old.whole(), now: commented, keys: yaml });
    expect(forgotten).toMatchObject({ restart: true, because: 'in-doubt' });
  });

  it('survives a rotation of the digest key', () => {
    const now = (of: Data): ContentDigest => content(of, { by: nextDigester });
    const asked = { recorded: recordedOf(old, yaml), keys: yaml };
    const same = now({ 'app.yaml': 'a: 1', 'comment.md': 'new' });
    expect(compared({ ...asked, now: same })).toMatchObject({ restart: false, recorded: recordedOf(same, yaml) });
    expect(compared({ ...asked, now: now({ 'app.yaml': 'a: 2' }) }).restart).toBe(true);
  });

  const crowd = (count: number, first: string): Data => ({
    ...Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, ''] as const)),
    k0: first,
  });

  it.each([budgets.filteredKeys, budgets.sourceKeys])('counts every key of a source with more than %s', (count) => {
    const [before, after] = ['a', 'b'].map((first) => content(crowd(count + 1, first)));
    if (!before || !after) throw new Error('two contents');
    const keys = only('k1');
    const comparison = compared({ recorded: recordedOf(before, keys), now: after, keys });
    expect(comparison).toMatchObject({ restart: true, because: 'content-changed', tooManyKeys: true });
    expect(compared({ recorded: comparison.recorded, now: after, keys })).toMatchObject({ because: 'unchanged' });
    const few = content(crowd(count, 'a'));
    if (count === budgets.filteredKeys) {
      const grew = compared({ recorded: recordedOf(few, keys), now: before, keys });
      expect(grew).toMatchObject({ restart: true, tooManyKeys: true, recorded: before.whole() });
      expect(compared({ recorded: grew.recorded, now: few, keys })).toMatchObject({ restart: true });
    }
  });
});

describe('a parsed comparison', () => {
  const data = { 'a.json': '[1]', b: 'x' };
  const then = parsed(data);
  const spaced = parsed({ ...data, 'a.json': '[ 1 ]' });
  const other = parsed({ ...data, 'a.json': '[2]' });
  const bytes = parsed({ ...data, b: 'x ' });
  const ways: readonly (readonly [string, CountedKeys])[] = [
    ['all keys', 'all'],
    ['single keys', ['a.json', 'b']],
    ['a list of keys', only('a.json,b')],
  ];

  it.each(ways)('of %s: white space restarts nothing, and nothing is written', (_, keys) => {
    const recorded = recordedOf(then, keys);
    const comparison = compared({ recorded, now: spaced, keys });
    expect(comparison).toEqual({ restart: false, because: 'same-parsed', recorded });
    expect(compared({ recorded: comparison.recorded, now: other, keys })).toMatchObject({ restart: true });
  });

  it.each(ways)('of %s: other content restarts, and what has no canonical form is compared by its bytes', (_, keys) => {
    const recorded = recordedOf(then, keys);
    expect(compared({ recorded, now: other, keys, former: then })).toMatchObject({
      ...{ restart: true, changedKeys: ['a.json'], recorded: recordedOf(other, keys) },
    });
    expect(compared({ recorded, now: bytes, keys, former: then })).toMatchObject({ restart: true, changedKeys: ['b'] });
  });

  it('names the keys whose content differs, and not those whose white space does', () => {
    const now = parsed({ 'a.json': '[ 1 ]', b: 'y' });
    for (const [, keys] of ways) {
      expect(compared({ recorded: recordedOf(then, keys), now, keys, former: then }).changedKeys).toEqual(['b']);
    }
  });

  it.each(ways)('of %s: the annotation itself restarts nothing, and is recorded', (_, keys) => {
    const [plain, annotated] = [recordedOf(content(data), keys), recordedOf(then, keys)];
    expect(compared({ recorded: plain, now: then, keys })).toEqual({
      ...{ restart: false, because: 'unchanged', recorded: annotated },
    });
    expect(compared({ recorded: annotated, now: content(data), keys })).toEqual({
      ...{ restart: false, because: 'unchanged', recorded: plain },
    });
  });

  it.each(ways)('of %s: without the annotation the bytes count again', (_, keys) => {
    const now = content({ ...data, 'a.json': '[ 1 ]' });
    expect(compared({ recorded: recordedOf(then, keys), now, keys })).toMatchObject({ restart: true });
    expect(compared({ recorded: recordedOf(content(data), keys), now: spaced, keys })).toMatchObject({ restart: true });
  });

  it.each(ways)('of %s survives a rotation of the digest key', (_, keys) => {
    const now = content({ ...data, 'a.json': '[ 1 ]' }, { parsed: true, by: nextDigester });
    expect(compared({ recorded: recordedOf(then, keys), now, keys })).toEqual({
      ...{ restart: false, because: 'same-parsed', recorded: recordedOf(now, keys) },
    });
  });

  it('keeps what is the same when parsed while the list of keys changes', () => {
    const recorded = recordedOf(then, only('*'));
    const keys = only('a.json');
    expect(compared({ recorded, now: spaced, keys })).toEqual({
      ...{ restart: false, because: 'same-parsed', recorded: recordedOf(spaced, keys) },
    });
  });
});
