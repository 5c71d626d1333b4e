import { describe, expect, it } from '@jest/globals';
import {
  applied,
  contentProblems,
  isContentKey,
  nameProblems,
  readSourceObject,
  type EditedKind,
  type SourceObject,
} from './source-object';

const texts = ({ content }: SourceObject) =>
  Object.fromEntries([...content].map(([key, value]) => [key, String(value)]));
const encoded = (text: string): string => Buffer.from(text).toString('base64');

describe('the content', () => {
  it.each<[string, EditedKind, object, object]>([
    ['of a ConfigMap', 'ConfigMap', { data: { a: 'x' }, binaryData: { b: encoded('y') } }, { a: 'x', b: 'y' }],
    ['of a Secret', 'Secret', { data: { a: encoded('x') } }, { a: 'x' }],
    [
      'of a Secret in plain text, which wins',
      'Secret',
      { data: { a: encoded('x') }, stringData: { a: 'y' } },
      { a: 'y' },
    ],
    ['of an empty key', 'ConfigMap', { data: { a: null } }, { a: '' }],
    ['of none', 'Secret', {}, {}],
  ])('%s', (_what, kind, object, expected) => {
    expect(texts(readSourceObject(kind, object))).toEqual(expected);
  });
});

describe('what the API server refuses', () => {
  it.each<[string, EditedKind, object, readonly string[]]>([
    ['nothing', 'Secret', { data: { a: encoded('xy'), b: '', c: 'YQ\n==\n' } }, []],
    [
      'a number',
      'ConfigMap',
      { data: { a: 1 } },
      ['the API server refuses data.a: it is no text; put the value into quotes'],
    ],
    [
      'a boolean',
      'Secret',
      { stringData: { a: true } },
      ['the API server refuses stringData.a: it is no text; put the value into quotes'],
    ],
    ['plain text', 'Secret', { data: { a: 'hunter2!' } }, ['the API server refuses data.a: it is not in base64']],
    [
      'base64 without its end',
      'ConfigMap',
      { binaryData: { a: 'YQ=' } },
      ['the API server refuses binaryData.a: it is not in base64'],
    ],
    [
      'a list instead of a map',
      'ConfigMap',
      { data: ['a'] },
      ['the API server refuses data: it is no map of keys and their values'],
    ],
    [
      'a text instead of a map',
      'Secret',
      { stringData: 'a' },
      ['the API server refuses stringData: it is no map of keys and their values'],
    ],
    ['nothing of an empty field', 'ConfigMap', { data: null, binaryData: {} }, []],
    [
      'a key of both fields',
      'ConfigMap',
      { data: { a: 'x', b: 'x' }, binaryData: { a: encoded('x') } },
      ['the API server refuses binaryData.a: data has the same key'],
    ],
    [
      'nothing of a key of both fields of a Secret',
      'Secret',
      { data: { a: encoded('x') }, stringData: { a: 'x' } },
      [],
    ],
    [
      'a key with a space',
      'ConfigMap',
      { data: { 'a b': 'x' } },
      [
        'the API server refuses data.a b: keys have letters, digits, "-", "_" and ".", at most 253, and do not begin with ".."',
      ],
    ],
  ])('%s', (_what, kind, object, expected) => {
    expect(contentProblems(kind, object).map(({ message }) => message)).toEqual(expected);
  });
});

it('the API server refuses what kubectl takes for no text', () => {
  const plain = new Map([
    ['data.a', 'yes'],
    ['data.b', 'text'],
  ]);
  const object = { data: { a: 'yes', b: 'text', c: 'yes' } };
  expect(contentProblems('ConfigMap', object, (path) => plain.get(path.join('.')))).toEqual([
    {
      path: ['data', 'a'],
      message: 'the API server refuses data.a: kubectl takes it for a boolean or a number; put the value into quotes',
    },
  ]);
});

describe('the name of a manifest', () => {
  it.each<[string, object, readonly string[]]>([
    ['is there', { metadata: { name: 'app', namespace: 'shop' } }, []],
    ['is made by the API server', { metadata: { generateName: 'app-' } }, []],
    [
      'is a number',
      { metadata: { name: 123 } },
      ['the API server refuses metadata.name: it is no text; put the value into quotes'],
    ],
    [
      'is beside the number of a namespace',
      { metadata: { name: 'a', namespace: 1 } },
      ['the API server refuses metadata.namespace: it is no text; put the value into quotes'],
    ],
    ['is missing', { metadata: {} }, ['it has no metadata.name']],
    ['is empty', { metadata: { name: '' } }, ['it has no metadata.name']],
    ['is missing with all metadata', {}, ['it has no metadata.name']],
  ])('%s', (_what, object, expected) => {
    expect(nameProblems(object, () => undefined).map(({ message }) => message)).toEqual(expected);
  });

  it('is a boolean for kubectl', () => {
    const problems = nameProblems({ metadata: { name: 'on' } }, (path) => (path.at(-1) === 'name' ? 'on' : undefined));
    expect(problems.map(({ path }) => path)).toEqual([['metadata', 'name']]);
  });
});

it.each([
  ['app.conf', true],
  ['.dockerconfigjson', true],
  ['A_b-1', true],
  ['a'.repeat(253), true],
  ['a'.repeat(254), false],
  ['a b', false],
  ['a/b', false],
  ['é', false],
  ['a\n', false],
  ['', false],
  ['.', false],
  ['..', false],
  ['..data', false],
])('the key %j may be one: %j', (key, expected) => expect(isContentKey(key)).toBe(expected));

describe('an apply', () => {
  const key = 'kubectl.kubernetes.io/last-applied-configuration';
  const live = (last: string | undefined) => ({
    metadata: {
      labels: { team: 'a', own: 'x' },
      annotations: { note: 'x', ...(last !== undefined && { [key]: last }) },
    },
    data: { color: 'red', size: 'small', foreign: 'x' },
  });
  const last = JSON.stringify({ metadata: { labels: { own: 'x' } }, data: { color: 'red', size: 'small' } });
  const manifest = { data: { color: 'blue' } };

  it('removes what was applied, and leaves what others wrote', () => {
    const after = applied('ConfigMap', manifest, live(last));
    expect(texts(after)).toEqual({ color: 'blue', foreign: 'x' });
    expect([after.labels, after.annotations]).toEqual([{ team: 'a' }, expect.objectContaining({ note: 'x' })]);
  });

  it('leaves keys of a Secret that came by stringData, and removes others', () => {
    const of = (...keys: readonly string[]) => Object.fromEntries(keys.map((each) => [each, encoded(each)]));
    const record = JSON.stringify({ data: of('old', 'color'), stringData: { password: 'p', moved: 'm' } });
    const secret = {
      metadata: { annotations: { [key]: record } },
      data: of('old', 'color', 'password', 'moved', 'foreign'),
    };
    const after = applied('Secret', { data: of('color', 'moved'), stringData: { color: 'blue' } }, secret);
    expect(texts(after)).toEqual({ color: 'blue', moved: 'moved', password: 'password', foreign: 'foreign' });
  });

  it.each([
    ['taken out of the manifest', true, {}, false],
    ['set by somebody else', undefined, {}, true],
    ['still in it', true, { immutable: true }, true],
  ])('leaves a source immutable if that was %s: %#', (_what, before, now, expected) => {
    const record = JSON.stringify({ data: {}, ...(before && { immutable: before }) });
    const after = applied('ConfigMap', { data: {}, ...now }, { ...live(record), immutable: true });
    expect(after.isImmutable).toBe(expected);
  });

  it.each([
    ['without a record of kubectl', undefined],
    ['with a broken one', '{'],
  ])('%s replaces all', (_what, record) => {
    const after = applied('ConfigMap', manifest, live(record));
    expect(texts(after)).toEqual({ color: 'blue' });
    expect([after.labels, after.annotations]).toEqual([{}, {}]);
  });
});
