import { describe, expect, it } from '@jest/globals';
import { applied, contentProblems, readSourceObject, type EditedKind, type SourceObject } from './source-object';

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
  ])('%s', (_what, kind, object, expected) => {
    expect(contentProblems(kind, object).map(({ message }) => message)).toEqual(expected);
  });
});

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

  it.each([
    ['without a record of kubectl', undefined],
    ['with a broken one', '{'],
  ])('%s replaces all', (_what, record) => {
    const after = applied('ConfigMap', manifest, live(record));
    expect(texts(after)).toEqual({ color: 'blue' });
    expect([after.labels, after.annotations]).toEqual([{}, {}]);
  });
});
