import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from './json';
import { applyJsonPatch } from './json-patch';
import { applyMergePatch } from './merge-patch';
import { StatusError } from './status';
import { applyStrategicMergePatch } from './strategic-merge-patch';

/** Values without null: API objects contain none. */
const value: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ maxLength: 5 }),
    fc.integer(),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'a/b', 'c~d'), tie('value'), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
})).value;
const object = fc.dictionary(fc.constantFrom('a', 'b', 'a/b', 'c~d'), value, {
  noNullPrototype: true,
}) as fc.Arbitrary<JsonObject>;

function frozen<T>(input: T): T {
  if (typeof input === 'object' && input !== null) Object.values(Object.freeze(input)).forEach(frozen);
  return input;
}

describe('JSON patch', () => {
  it('never changes its input, and what is added can be removed', () => {
    fc.assert(
      fc.property(object, fc.constantFrom('new', 'x/y', 'x~y'), value, (target, key, added) => {
        const path = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        const after = applyJsonPatch(frozen(target), [{ op: 'add', path, value: added }]);
        expect(after[key]).toEqual(added);
        expect(
          applyJsonPatch(frozen(after), [
            { op: 'test', path, value: added },
            { op: 'remove', path },
          ]),
        ).toEqual(target);
      }),
    );
  });

  it.each<[string, JsonValue, JsonValue]>([
    ['inserts into a list', [{ op: 'add', path: '/list/1', value: 'x' }], { list: ['a', 'x', 'b'] }],
    ['appends with -', [{ op: 'add', path: '/list/-', value: 'x' }], { list: ['a', 'b', 'x'] }],
    ['replaces in a list', [{ op: 'replace', path: '/list/0', value: 'x' }], { list: ['x', 'b'] }],
    ['removes from a list', [{ op: 'remove', path: '/list/0' }], { list: ['b'] }],
    ['takes what is missing for null in a test', [{ op: 'test', path: '/none', value: null }], { list: ['a', 'b'] }],
  ])('%s', (_name, patch, expected) => {
    expect(applyJsonPatch(frozen({ list: ['a', 'b'] }), patch)).toEqual(expected);
  });

  it.each<[string, JsonValue, number]>([
    ['a path without slash', [{ op: 'add', path: 'list', value: 1 }], 422],
    ['an index beyond the end', [{ op: 'add', path: '/list/9', value: 1 }], 422],
    ['removing what is not there', [{ op: 'remove', path: '/none' }], 422],
    ['replacing what is not there', [{ op: 'replace', path: '/none', value: 1 }], 422],
    ['removing everything', [{ op: 'remove', path: '' }], 422],
    ['going through a string', [{ op: 'add', path: '/list/0/x', value: 1 }], 422],
    ['an unknown operation', [{ op: 'merge', path: '/list', value: 1 }], 400],
    ['an operation without path', [{ op: 'add' }], 400],
  ])('refuses %s', (_name, patch, code) => {
    expect(() => applyJsonPatch({ list: ['a', 'b'] }, patch)).toThrow(StatusError);
    try {
      applyJsonPatch({ list: ['a', 'b'] }, patch);
    } catch (error) {
      expect(error).toMatchObject({ code });
    }
  });
});

describe('merge patches', () => {
  it.each([
    ['merge', applyMergePatch],
    ['strategic merge', applyStrategicMergePatch],
  ])('%s: an object is its own patch, and nothing is changed in place', (_name, apply) => {
    fc.assert(
      fc.property(object, (target) => {
        expect(apply(frozen(target), frozen(target))).toEqual(target);
        expect(apply({}, frozen(target))).toEqual(target);
        const removal = Object.fromEntries(Object.keys(target).map((key) => [key, null]));
        expect(apply(frozen(target), removal)).toEqual({});
      }),
    );
  });

  it('keep the rest of an atomic list apart: it is replaced', () => {
    expect(applyMergePatch({ env: [{ name: 'A' }] }, { env: [{ name: 'B' }] })).toEqual({ env: [{ name: 'B' }] });
  });
});

describe('strategic merge patch', () => {
  it('refuses an item without its merge key', () => {
    expect(() => applyStrategicMergePatch({}, { env: [{ value: '1' }] })).toThrow(
      'does not contain declared merge key: name',
    );
  });

  it('refuses a directive that it does not know', () => {
    expect(() => applyStrategicMergePatch({}, { $patch: 'explode' })).toThrow('Unknown $patch type: explode');
  });

  it('replaces and empties an object', () => {
    expect(applyStrategicMergePatch({ a: { x: 1 } }, { a: { $patch: 'replace', y: 2 } })).toEqual({ a: { y: 2 } });
    expect(applyStrategicMergePatch({ a: { x: 1 } }, { a: { $patch: 'delete' } })).toEqual({ a: {} });
  });

  it('sorts by $setElementOrder alone', () => {
    const env = [{ name: 'A' }, { name: 'B' }];
    const patch = { '$setElementOrder/env': [{ name: 'B' }, { name: 'A' }] };
    expect(applyStrategicMergePatch({ env }, patch)).toEqual({ env: [{ name: 'B' }, { name: 'A' }] });
  });

  it.each([
    ['volumeMounts', 'mountPath'],
    ['ports', 'containerPort'],
    ['ownerReferences', 'uid'],
    ['imagePullSecrets', 'name'],
    ['initContainers', 'name'],
    ['conditions', 'type'],
  ])('merges %s by %s', (list, key) => {
    const patch = { [list]: [{ [key]: 'b', new: 1 }] };
    const target = { [list]: [{ [key]: 'a' }, { [key]: 'b', old: 1 }] };
    expect(applyStrategicMergePatch(target, patch)).toEqual({
      [list]: [{ [key]: 'a' }, { [key]: 'b', old: 1, new: 1 }],
    });
  });
});
