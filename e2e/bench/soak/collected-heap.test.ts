import { expect, it } from '@jest/globals';
import { MetricSamples } from '../../metric-samples';
import { CollectedHeap } from './collected-heap';

it('is that after a collection, and not what grows until the next', async () => {
  const heap = CollectedHeap.of({
    ...{ pid: 0, startedMs: 0, ready: async () => undefined, end: async () => undefined },
    metrics: async () =>
      new MetricSamples('nodejs_gc_duration_seconds_count{kind="major"} 4\nnodejs_heap_size_used_bytes 90\n'),
  });
  await heap.stop();
  // Collected at some time before: what there is now may be garbage.
  expect(heap.bytes).toBeUndefined();
  heap.take(4, 100);
  expect(heap.bytes).toBeUndefined();
  heap.take(6, 50);
  heap.take(6, 70);
  expect([heap.bytes, heap.collections]).toEqual([50, 2]);
});
