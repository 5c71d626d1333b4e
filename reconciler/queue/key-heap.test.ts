import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { KeyHeap, type RankedKey } from './key-heap';

function drain(heap: KeyHeap): readonly RankedKey[] {
  const items: RankedKey[] = [];
  for (let item = heap.pop(); item; item = heap.pop()) items.push({ rank: item.rank, key: item.key });
  return items;
}

describe('KeyHeap', () => {
  it('is empty at first', () => {
    const heap = new KeyHeap();
    expect([heap.peek(), heap.pop()]).toEqual([undefined, undefined]);
  });

  it('pops keys in the order of their rank, and those of the same rank in the order of their arrival', () => {
    fc.assert(
      // Few different ranks, so that many are equal.
      fc.property(fc.array(fc.integer({ min: 0, max: 9 })), (ranks) => {
        const items = ranks.map((rank, index) => ({ rank, key: String(index) }));
        const heap = new KeyHeap();
        for (const item of items) heap.push(item);
        expect(drain(heap)).toEqual(items.toSorted((left, right) => left.rank - right.rank));
      }),
    );
  });

  it('does so whatever is pushed between pops, and peeks at what it pops', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined })), (steps) => {
        const heap = new KeyHeap();
        const model: RankedKey[] = [];
        for (const [index, rank] of steps.entries()) {
          if (rank === undefined) {
            const expected = model.toSorted((left, right) => left.rank - right.rank)[0];
            if (expected) model.splice(model.indexOf(expected), 1);
            expect(heap.peek()?.key).toBe(expected?.key);
            expect(heap.pop()?.key).toBe(expected?.key);
          } else {
            heap.push({ rank, key: String(index) });
            model.push({ rank, key: String(index) });
          }
        }
        expect(drain(heap)).toEqual(model.toSorted((left, right) => left.rank - right.rank));
      }),
    );
  });
});
