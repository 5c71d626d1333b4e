import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DueHeap, type DueKey } from './due-heap';

function drain(heap: DueHeap): readonly DueKey[] {
  const items: DueKey[] = [];
  for (let item = heap.pop(); item; item = heap.pop()) items.push({ dueMs: item.dueMs, key: item.key });
  return items;
}

describe('DueHeap', () => {
  it('is empty at first', () => {
    const heap = new DueHeap();
    expect([heap.peek(), heap.pop()]).toEqual([undefined, undefined]);
  });

  it('gives keys in the order of their time, and of the same time in the order of their coming', () => {
    fc.assert(
      // Few different times, so that many are equal.
      fc.property(fc.array(fc.integer({ min: 0, max: 9 })), (dueTimes) => {
        const items = dueTimes.map((dueMs, index) => ({ dueMs, key: String(index) }));
        const heap = new DueHeap();
        for (const item of items) heap.push(item);
        expect(drain(heap)).toEqual(items.toSorted((left, right) => left.dueMs - right.dueMs));
      }),
    );
  });

  it('does so whatever is pushed between pops, and peeks at what it pops', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined })), (steps) => {
        const heap = new DueHeap();
        const model: DueKey[] = [];
        for (const [index, dueMs] of steps.entries()) {
          if (dueMs === undefined) {
            const expected = model.toSorted((left, right) => left.dueMs - right.dueMs)[0];
            if (expected) model.splice(model.indexOf(expected), 1);
            expect(heap.peek()?.key).toBe(expected?.key);
            expect(heap.pop()?.key).toBe(expected?.key);
          } else {
            heap.push({ dueMs, key: String(index) });
            model.push({ dueMs, key: String(index) });
          }
        }
        expect(drain(heap)).toEqual(model.toSorted((left, right) => left.dueMs - right.dueMs));
      }),
    );
  });
});
