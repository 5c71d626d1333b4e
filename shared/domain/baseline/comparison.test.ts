import { describe, expect, it } from '@jest/globals';
import { inDoubt, recordedOf, type Recorded } from './recorded';
import { compare, type Comparison, type ComparisonInput, type InForce } from './comparison';
import { budgets } from '../budgets';
import { absent, ContentDigester, type ContentDigest } from '../sources/content-digest';

/** The comparison of an input whose contents are all known. */
function comparisonOf(input: ComparisonInput): Comparison {
  const comparison = compare(input);
  if (comparison === 'metadata-only') throw new Error('a content is to be read first');
  return comparison;
}

const digester = new ContentDigester(Buffer.alloc(32, 7));
const nextDigester = new ContentDigester(Buffer.alloc(32, 8), digester);
/** Each content as digested after a rotation of the digest key. */
const renewed = new Map<ContentDigest, ContentDigest>();

function content(entries: Record<string, string>): ContentDigest {
  const raw = Object.entries(entries).map(([key, value]) => [key, Buffer.from(value)] as const);
  const digest = digester.digest({ kind: 'ConfigMap', namespace: 'shop', name: 'app' }, raw);
  renewed.set(digest, nextDigester.digest({ kind: 'ConfigMap', namespace: 'shop', name: 'app' }, raw));
  return digest;
}

const old = content({ color: 'red', size: '1' });
const recolored = content({ color: 'blue', size: '1' });
const resized = content({ color: 'red', size: '2' });
const whole = (of: ContentDigest): Recorded => recordedOf(of, 'all');
const colorOf = (of: ContentDigest): Recorded => recordedOf(of, ['color']);
const inForce = (of: ContentDigest | undefined): InForce => ({ content: of });

interface Row {
  readonly when: string;
  readonly recorded?: Recorded;
  readonly now?: ContentDigest;
  readonly keys?: readonly string[];
  readonly inForce?: InForce;
  readonly atBirth?: InForce;
  readonly former?: ContentDigest;
  readonly first?: ContentDigest;
  readonly onCreate?: boolean;
  readonly onDelete?: boolean;
  readonly then: Partial<Comparison>;
}

const rows: readonly Row[] = [
  { when: 'equal', recorded: whole(old), now: old, then: { restart: false, because: 'unchanged' } },
  {
    when: 'changed',
    recorded: whole(old),
    now: recolored,
    then: { restart: true, because: 'content-changed', recorded: whole(recolored) },
  },
  {
    when: 'changed, former known',
    recorded: whole(old),
    now: recolored,
    former: old,
    then: { restart: true, changedKeys: ['color'] },
  },
  {
    when: 'gone and not asked for',
    recorded: whole(old),
    then: { restart: false, because: 'deleted-ignored', recorded: whole(old) },
  },
  {
    when: 'gone and asked for',
    recorded: whole(old),
    onDelete: true,
    then: { restart: true, because: 'deleted', recorded: '-' },
  },
  { when: 'still absent', recorded: '-', then: { restart: false, because: 'unchanged', recorded: '-' } },
  {
    when: 'appeared and not asked for',
    recorded: '-',
    now: old,
    then: { restart: false, because: 'created-ignored', recorded: whole(old) },
  },
  {
    when: 'appeared, and was edited since: owed against its first content, for a process that has not seen that',
    recorded: '-',
    now: recolored,
    first: old,
    then: { restart: true, because: 'content-changed', recorded: whole(recolored), former: whole(old) },
  },
  {
    when: 'appeared, and a key not in use was edited since',
    recorded: '-',
    now: resized,
    first: old,
    keys: ['color'],
    then: { restart: false, because: 'created-ignored', recorded: colorOf(old) },
  },
  {
    when: 'appeared and asked for',
    recorded: '-',
    now: old,
    onCreate: true,
    then: { restart: true, because: 'created', recorded: whole(old) },
  },
  {
    when: 'a key in use changed',
    recorded: colorOf(old),
    now: recolored,
    keys: ['color'],
    then: { restart: true, changedKeys: ['color'] },
  },
  {
    when: 'a key not in use changed',
    recorded: colorOf(old),
    now: resized,
    keys: ['color'],
    then: { restart: false, because: 'unchanged' },
  },
  {
    when: 'a key in use removed',
    recorded: colorOf(old),
    now: content({ size: '1' }),
    keys: ['color'],
    then: { restart: true, recorded: new Map([['color', '-']]) },
  },
  {
    when: 'a key in use appeared',
    recorded: new Map([['color', '-']]),
    now: old,
    keys: ['color'],
    then: { restart: true, changedKeys: ['color'] },
  },
  {
    when: 'one more key in use',
    recorded: colorOf(old),
    now: old,
    keys: ['color', 'size'],
    then: { restart: false, recorded: recordedOf(old, ['color', 'size']) },
  },
  {
    when: 'one more key in use, changed since it is',
    recorded: colorOf(old),
    now: resized,
    keys: ['color', 'size'],
    inForce: inForce(old),
    then: { restart: true, changedKeys: ['size'] },
  },
  {
    when: 'one more key in use, of a source that was created since',
    recorded: colorOf(old),
    now: resized,
    keys: ['color', 'size'],
    inForce: inForce(undefined),
    then: { restart: false, recorded: recordedOf(resized, ['color', 'size']) },
  },
  {
    when: 'one more key in use, of a source that was created since, and asked for',
    recorded: colorOf(old),
    now: old,
    keys: ['color', 'size'],
    inForce: inForce(undefined),
    onCreate: true,
    then: { restart: true, because: 'created', recorded: recordedOf(old, ['color', 'size']), former: '-' },
  },
  {
    when: 'keys, now all of it',
    recorded: colorOf(old),
    now: resized,
    then: { restart: false, recorded: whole(resized) },
  },
  {
    when: 'keys, now all of it, and one of them changed',
    recorded: colorOf(old),
    now: recolored,
    then: { restart: true, changedKeys: ['color'] },
  },
  {
    when: 'all of it, now keys',
    recorded: whole(old),
    now: old,
    keys: ['color'],
    then: { restart: false, recorded: colorOf(old) },
  },
  {
    when: 'all of it, now keys, former known',
    recorded: whole(old),
    now: resized,
    keys: ['color'],
    former: old,
    then: { restart: false, recorded: colorOf(resized) },
  },
  {
    when: 'all of it, now keys, former not known',
    recorded: whole(old),
    now: resized,
    keys: ['color'],
    then: { restart: true, because: 'in-doubt' },
  },
  {
    when: 'in doubt, the same',
    recorded: inDoubt(whole(old)),
    now: old,
    then: { restart: true, because: 'changed-back', recorded: whole(old) },
  },
  {
    when: 'in doubt, the same keys',
    recorded: inDoubt(colorOf(old)),
    now: resized,
    keys: ['color'],
    then: { restart: true, because: 'changed-back', recorded: colorOf(resized) },
  },
  {
    when: 'in doubt, changed',
    recorded: inDoubt(colorOf(old)),
    now: recolored,
    keys: ['color'],
    then: { restart: true, because: 'content-changed', changedKeys: ['color'], recorded: colorOf(recolored) },
  },
  {
    when: 'in doubt, gone',
    recorded: inDoubt(whole(old)),
    then: { restart: false, because: 'deleted-ignored', recorded: inDoubt(whole(old)) },
  },
  {
    when: 'in doubt, gone, and deletions restart',
    recorded: inDoubt(whole(old)),
    onDelete: true,
    then: { restart: true, because: 'deleted', recorded: '-' },
  },
  {
    when: 'in doubt of what did not exist',
    recorded: inDoubt('-'),
    now: old,
    then: { restart: true, because: 'content-changed', recorded: whole(old) },
  },
  {
    when: 'first sight',
    now: old,
    inForce: inForce(old),
    then: { restart: false, because: 'first-seen', recorded: whole(old) },
  },
  {
    when: 'first sight, absent',
    inForce: inForce(undefined),
    then: { restart: false, because: 'first-seen', recorded: '-' },
  },
  {
    when: 'changed since birth',
    now: recolored,
    inForce: inForce(old),
    then: { restart: true, because: 'changed-since-birth', recorded: whole(recolored), former: whole(old) },
  },
  {
    when: 'created since birth',
    now: old,
    inForce: inForce(undefined),
    then: { restart: false, because: 'created-ignored', recorded: whole(old) },
  },
  {
    when: 'created since birth, and was edited since: owed against its first content',
    now: recolored,
    inForce: inForce(undefined),
    first: old,
    then: { restart: true, because: 'changed-since-birth', former: whole(old) },
  },
  {
    when: 'created since birth and asked for',
    now: old,
    inForce: inForce(undefined),
    onCreate: true,
    then: { restart: true, because: 'created', former: '-' },
  },
  {
    when: 'deleted since birth',
    inForce: inForce(old),
    then: { restart: false, because: 'deleted-ignored', recorded: whole(old) },
  },
  {
    when: 'recorded as it was before the workload was created',
    recorded: whole(old),
    now: resized,
    atBirth: inForce(resized),
    then: { restart: false, because: 'unchanged', recorded: whole(resized) },
  },
  {
    when: 'recorded as it was before the workload was created, of a key in use',
    recorded: colorOf(content({ color: 'blue' })),
    now: old,
    keys: ['color'],
    atBirth: inForce(old),
    then: { restart: false, because: 'unchanged', recorded: colorOf(old) },
  },
  {
    when: 'recorded as it was before the workload was created, and changed since too',
    recorded: whole(content({ color: 'blue' })),
    now: resized,
    atBirth: inForce(old),
    then: { restart: true, because: 'content-changed', recorded: whole(resized) },
  },
  {
    when: 'in doubt',
    now: old,
    inForce: 'unknown',
    then: { restart: true, because: 'in-doubt', recorded: whole(old) },
  },
  {
    when: 'in doubt and gone',
    inForce: 'unknown',
    then: { restart: false, because: 'deleted-ignored', recorded: '-' },
  },
  {
    when: 'in doubt and gone, asked for',
    inForce: 'unknown',
    onDelete: true,
    then: { restart: true, because: 'deleted', recorded: '-' },
  },
];

describe('compare', () => {
  const inputOf = (row: Row): ComparisonInput => ({
    recorded: row.recorded,
    current: row.now,
    keys: row.keys ?? 'all',
    inForce: () => row.inForce ?? inForce(row.now),
    whenCounted: () => row.inForce ?? inForce(row.now),
    atBirth: () => row.atBirth ?? 'unknown',
    formerContent: (digest) => (row.former?.whole() === digest ? row.former : undefined),
    firstContent: () => row.first,
    reloadOnCreate: row.onCreate ?? false,
    reloadOnDelete: row.onDelete ?? false,
  });

  it.each(rows)('$when', (row) => {
    expect(compare(inputOf(row))).toMatchObject(row.then);
  });

  it.each(rows)('$when, and the digest key has been rotated since: the same, recorded under the current key', (row) => {
    const { restart, because, changedKeys, former } = comparisonOf(inputOf(row));
    const current = row.now && renewed.get(row.now);
    const input = { ...inputOf(row), current };
    const { recorded, former: owed, ...now } = comparisonOf(input);
    expect(now).toEqual({ restart, because, ...(changedKeys && { changedKeys }) });
    expect(owed === undefined).toBe(former === undefined);
    if (owed !== undefined) expect(comparisonOf({ ...input, recorded: owed }).restart).toBe(true);
    if (current) expect(recorded).toEqual(recordedOf(current, input.keys));
    expect(comparisonOf({ ...input, recorded, inForce: () => inForce(current) }).restart).toBe(false);
  });
});

describe('a source with too many keys to distinguish them', () => {
  const crowd = Object.fromEntries(Array.from({ length: budgets.sourceKeys }, (_, index) => [`k${index}`, '']));
  const few = content({ color: 'red' });
  const many = content({ ...crowd, color: 'red' });
  const other = content({ ...crowd, color: 'red', k7: 'changed' });
  const compared = (
    recorded: Recorded | undefined,
    current: ContentDigest,
    keys: 'all' | readonly string[],
  ): Comparison =>
    comparisonOf({
      ...{ recorded, current, keys, reloadOnCreate: false, reloadOnDelete: false },
      ...{ inForce: () => ({ content: many }), whenCounted: () => ({ content: many }) },
      ...{ firstContent: () => undefined, formerContent: () => undefined },
      atBirth: () => 'unknown',
    });

  it.each<[string, ContentDigest, ContentDigest, boolean]>([
    ['nothing changes', many, many, false],
    ['a key that is not used changes', many, other, true],
    ['it grows to too many keys', few, many, true],
    ['it shrinks to fewer keys', many, few, true],
  ])('when %s, users of the source and users of one key get the same answer', (_, before, after, restart) => {
    for (const keys of ['all', ['color']] as const) {
      expect(compared(recordedOf(before, keys), after, keys)).toMatchObject({
        restart,
        recorded: recordedOf(after, keys),
      });
    }
  });

  it('restarts once for growing to too many keys, and once for shrinking to fewer', () => {
    for (const keys of ['all', ['color']] as const) {
      const up = compared(recordedOf(few, keys), many, keys);
      expect(compared(up.recorded, many, keys)).toMatchObject({ restart: false, because: 'unchanged' });
      const down = compared(up.recorded, few, keys);
      expect(compared(down.recorded, few, keys)).toMatchObject({ restart: false, because: 'unchanged' });
    }
  });

  it('reports too many keys, and names none', () => {
    const comparison = compared(recordedOf(many, ['color']), other, ['color']);
    expect(comparison).toMatchObject({ because: 'content-changed', tooManyKeys: true });
    expect(comparison.changedKeys).toBeUndefined();
  });

  it('is compared with the state in force when a key comes into use', () => {
    expect(compared(recordedOf(many, ['color']), many, ['color', 'size'])).toMatchObject({ restart: false });
    expect(compared(recordedOf(other, ['color']), other, ['color', 'size'])).toMatchObject({ restart: true });
  });

  it('is not reported as changed by a rotation of the digest key', () => {
    for (const keys of ['all', ['color']] as const) {
      expect(compared(recordedOf(many, keys), renewed.get(many)!, keys)).toMatchObject({ restart: false });
      expect(compared(recordedOf(many, keys), renewed.get(other)!, keys)).toMatchObject({ restart: true });
    }
  });
});

describe('a content of which the metadata alone is known', () => {
  const red = content({ color: 'red' });
  const blue = content({ color: 'blue' });
  const unasked = (): never => {
    throw new Error('the answer does not rest on it');
  };
  const facts = {
    inForce: unasked,
    whenCounted: unasked,
    atBirth: unasked,
    formerContent: unasked,
    firstContent: unasked,
  };
  const input = {
    recorded: red.whole(),
    current: blue,
    keys: 'all',
    reloadOnCreate: false,
    reloadOnDelete: false,
  } as const;
  const metadataOnly = () => 'metadata-only' as const;
  const unknown = () => 'unknown' as const;

  it.each<[string, Partial<ComparisonInput>]>([
    ['what was in force, where nothing is recorded', { recorded: undefined, inForce: metadataOnly }],
    ['what was in force, where its absence is recorded', { recorded: absent, inForce: metadataOnly }],
    [
      'what was in force, where a key is used that is not recorded',
      { recorded: new Map(), keys: ['color'], whenCounted: metadataOnly },
    ],
    ['the former content, which tells the changed keys', { formerContent: metadataOnly }],
    ['what it held at the birth', { formerContent: () => red, atBirth: metadataOnly }],
    [
      'what it was created with',
      { recorded: absent, inForce: () => ({ content: undefined }), firstContent: metadataOnly },
    ],
  ])('is to be read first: %s', (_, asked) => {
    expect(compare({ ...input, ...facts, ...asked })).toBe('metadata-only');
  });

  it.each<[string, Partial<ComparisonInput>, boolean]>([
    ['nothing has changed', { recorded: blue.whole() }, false],
    ['the deletion is ignored', { current: undefined }, false],
    ['the deletion counts', { current: undefined, reloadOnDelete: true, atBirth: unknown }, true],
    ['the creation counts', { recorded: absent, reloadOnCreate: true, atBirth: unknown }, true],
  ])('is not asked for where %s', (_, asked, restart) => {
    expect(comparisonOf({ ...input, ...facts, ...asked }).restart).toBe(restart);
  });
});
