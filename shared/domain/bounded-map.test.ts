import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BoundedMap } from './bounded-map';

/** The overhead of an entry, besides the size that its caller reports. */
const placeBytes = 150;
const room = (entries: number): number => entries * (placeBytes + 50);

let forgotten: string[];
let map: BoundedMap<string, number>;

const keys = (): readonly string[] => [...map.entries()].map(([key]) => key);

beforeEach(() => {
  forgotten = [];
  map = new BoundedMap({ maxBytes: room(4), maxOwnerBytes: room(3) }, (key) => forgotten.push(key));
});

describe('BoundedMap', () => {
  it('returns what was stored, and its size', () => {
    map.set('a', 1, 50);
    expect([map.get('a'), map.has('a'), map.size, map.bytes]).toEqual([1, true, 1, room(1)]);
    map.set('a', 2, 20);
    expect([map.get('a'), map.size, map.bytes]).toEqual([2, 1, room(1) - 30]);
    expect([map.delete('a'), map.delete('a'), map.get('a'), map.bytes]).toEqual([true, false, undefined, 0]);
    expect(forgotten).toEqual([]);
  });

  it('evicts the least recently used entry', () => {
    for (const key of ['a', 'b', 'c']) map.set(key, 1, 50, 'one');
    map.use('a');
    map.get('b');
    map.set('d', 1, 50, 'one');
    expect(keys()).toEqual(['c', 'a', 'd']);
    expect(forgotten).toEqual(['b']);
  });

  it('an owner cannot evict entries of another', () => {
    map.set('mine', 1, 50, 'me');
    for (let index = 0; index < 100; index++) map.set(`other ${index}`, 1, 50, 'other');
    expect(map.has('mine')).toBe(true);
    expect(keys()).toEqual(['mine', 'other 97', 'other 98', 'other 99']);
  });

  it('evicts from the largest owner when the whole map is full', () => {
    for (const key of ['a', 'b', 'c']) map.set(key, 1, 50, 'much');
    map.set('d', 1, 50, 'little');
    map.set('e', 1, 50, 'new');
    expect(forgotten).toEqual(['a']);
    expect(keys()).toEqual(['b', 'c', 'd', 'e']);
  });

  it('does not keep an entry larger than the limit, and removes the one it replaces', () => {
    map.set('a', 1, 50, 'one');
    map.set('huge', 1, room(5), 'other');
    expect(keys()).toEqual(['a']);
    expect(map.bytes).toBe(room(1));
  });

  it('counts an entry for the owner that stored it last', () => {
    map.set('a', 1, 50, 'one');
    map.set('a', 1, 50, 'two');
    for (const key of ['b', 'c', 'd']) map.set(key, 1, 50, 'one');
    expect(keys()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('evicts in the order of use, whatever was used, replaced and deleted meanwhile', () => {
    const step = fc.tuple(fc.constantFrom('set', 'use', 'delete'), fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const bounded = new BoundedMap<string, number>({ maxBytes: room(3) });
        let expected: readonly string[] = [];
        for (const [what, key] of steps) {
          if (what === 'set') bounded.set(key, 1, 50, 'one');
          else bounded[what](key);
          const others = expected.filter((each) => each !== key);
          const isKept = what === 'set' || (what === 'use' && expected.includes(key));
          expected = [...others, ...(isKept ? [key] : [])].slice(-3);
          expect([...bounded.entries()].map(([each]) => each)).toEqual(expected);
        }
      }),
    );
  });

  it('never exceeds its limits', () => {
    const step = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.nat(400), fc.constantFrom('x', 'y', 'z'));
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const bounded = new BoundedMap<string, readonly [number, string]>({ maxBytes: 1_000, maxOwnerBytes: 600 });
        for (const [key, bytes, owner] of steps) {
          bounded.set(key, [bytes, owner], bytes, owner);
          const kept = [...bounded.entries()].map(([, [of, by]]) => ({ bytes: of + placeBytes, by }));
          const sum = (of: typeof kept): number => of.reduce((total, each) => total + each.bytes, 0);
          expect(bounded.bytes).toBe(sum(kept));
          expect(sum(kept)).toBeLessThanOrEqual(1_000);
          for (const name of ['x', 'y', 'z'])
            expect(sum(kept.filter(({ by }) => by === name))).toBeLessThanOrEqual(600);
        }
      }),
    );
  });
});
