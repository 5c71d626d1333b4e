import { describe, expect, it } from '@jest/globals';
import { fieldAt, listOf, objectOf, sameJson, textOf } from './json-value';

describe('readers of unchecked JSON', () => {
  it('return values of the right type', () => {
    const object = { a: 1 };
    const list = [1];
    expect(objectOf(object)).toBe(object);
    expect(listOf(list)).toBe(list);
    expect(textOf('a')).toBe('a');
    expect(fieldAt({ spec: { template: 7 } }, ['spec', 'template'])).toBe(7);
  });

  it.each([undefined, null, 1, true, 'text'])('treat %j as a missing object and list', (value) => {
    expect(objectOf(value)).toEqual({});
    expect(listOf(value)).toEqual([]);
    expect(fieldAt(value, ['spec'])).toBeUndefined();
  });

  it('do not mistake a list for an object, nor an object for a list', () => {
    expect(objectOf([1])).toEqual({});
    expect(listOf({ length: 1 })).toEqual([]);
  });

  it('treat the empty text as unset, as Kubernetes does', () => {
    expect(textOf('')).toBeUndefined();
    expect(textOf(1)).toBeUndefined();
  });
});

it.each<[unknown, unknown, boolean]>([
  [{ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 }, true],
  [[], [], true],
  [[1, 2], [2, 1], false],
  [[1], [1, 2], false],
  [{ a: 1 }, { a: '1' }, false],
  [{ a: undefined }, { b: undefined }, false],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{}, [], false],
  [{}, null, false],
  [null, null, true],
])('sameJson compares %j and %j', (left, right, same) => {
  expect(sameJson(left, right)).toBe(same);
  expect(sameJson(right, left)).toBe(same);
});
