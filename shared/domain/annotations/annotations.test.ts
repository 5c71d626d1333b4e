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

  it('keeps the two apart and follows the configured keys', () => {
    const keys = { ...defaultAnnotationKeys, ignore: 'acme/ignore', match: 'acme/match' };
    expect(sourceFlags({ 'acme/ignore': 'true' }, keys)).toEqual({ ignore: true, match: false });
    expect(sourceFlags({ 'acme/match': 'true' }, keys)).toEqual({ ignore: false, match: true });
    expect(sourceFlags({ [defaultAnnotationKeys.ignore]: 'true' }, keys)).toEqual({ ignore: false, match: false });
  });
});

describe('annotation', () => {
  it('tells an empty value from a missing one', () => {
    expect(annotation({ a: '' }, 'a')).toBe('');
    expect(annotation({}, 'a')).toBeUndefined();
  });

  it('takes no value of another type, inherited or own', () => {
    expect(annotation({ a: true }, 'a')).toBeUndefined();
    expect(annotation({}, 'constructor')).toBeUndefined();
  });
});

it('reads annotations of any JSON', () => {
  expect(annotationsOf({ metadata: { annotations: { a: 'b' } } })).toEqual({ a: 'b' });
  expect(annotationsOf({ metadata: { annotations: ['a'] } })).toEqual({});
  expect(annotationsOf(null)).toEqual({});
});

it('keeps what is its own under its own prefix', () => {
  expect(Object.values(ownAnnotations).every((key) => key.startsWith(ownPrefix))).toBe(true);
});
