import { describe, expect, it } from '@jest/globals';
import {
  annotation,
  annotationsOf,
  defaultAnnotationKeys,
  ownAnnotations,
  ownPrefix,
  sourceFlags,
} from './annotations';

describe('sourceFlags', () => {
  it.each([
    ['true', true],
    ['True', false],
    ['1', false],
    [' true', false],
    ['', false],
  ])('reads %j as %j', (value, flag) => {
    const annotations = { [defaultAnnotationKeys.ignore]: value, [defaultAnnotationKeys.match]: value };
    expect(sourceFlags(annotations, defaultAnnotationKeys)).toEqual({ ignore: flag, match: flag });
  });

  it('distinguishes ignore from match and uses the configured keys', () => {
    const keys = { ...defaultAnnotationKeys, ignore: 'acme/ignore', match: 'acme/match' };
    expect(sourceFlags({ 'acme/ignore': 'true' }, keys)).toEqual({ ignore: true, match: false });
    expect(sourceFlags({ 'acme/match': 'true' }, keys)).toEqual({ ignore: false, match: true });
    expect(sourceFlags({ [defaultAnnotationKeys.ignore]: 'true' }, keys)).toEqual({ ignore: false, match: false });
  });
});

describe('annotation', () => {
  it('distinguishes an empty value from a missing one', () => {
    expect(annotation({ a: '' }, 'a')).toBe('');
    expect(annotation({}, 'a')).toBeUndefined();
  });

  it('ignores values of other types and inherited ones', () => {
    expect(annotation({ a: true }, 'a')).toBeUndefined();
    expect(annotation({}, 'constructor')).toBeUndefined();
  });
});

it('reads annotations from any JSON', () => {
  expect(annotationsOf({ metadata: { annotations: { a: 'b' } } })).toEqual({ a: 'b' });
  expect(annotationsOf({ metadata: { annotations: ['a'] } })).toEqual({});
  expect(annotationsOf(null)).toEqual({});
});

it('every annotation of its own has its prefix', () => {
  expect(Object.values(ownAnnotations).every((key) => key.startsWith(ownPrefix))).toBe(true);
});
