import { setTimeout as delay } from 'node:timers/promises';
import type { RunningSubject } from '../subject';

const pollMs = 2_000;

/**
 * What stays of a heap when all garbage has been collected: between two full collections it grows with what is garbage
 * already, whoever looks. So it is read as soon as there was one.
 */
export class CollectedHeap {
  /** Undefined before the first collection was seen. */
  bytes: number | undefined;
  collections = 0;
  readonly #controller = new AbortController();
  readonly #done: Promise<void>;
  #counted: number | undefined;

  static of(running: RunningSubject): CollectedHeap {
    return new CollectedHeap(running);
  }

  private constructor(running: RunningSubject) {
    this.#done = this.#poll(running);
  }

  async stop(): Promise<void> {
    this.#controller.abort();
    await this.#done;
  }

  /** By what a process tells: how many full collections there were so far, and how large the heap is now. */
  take(collections: number, heapBytes: number): void {
    const before = this.#counted;
    this.#counted = collections;
    if (before === undefined || collections <= before) return;
    this.collections += collections - before;
    this.bytes = heapBytes;
  }

  async #poll(running: RunningSubject): Promise<void> {
    const { signal } = this.#controller;
    while (!signal.aborted) {
      const metrics = await running.metrics();
      if (!metrics) return;
      const collections = metrics.sum('nodejs_gc_duration_seconds_count', { kind: 'major' });
      this.take(collections, metrics.sum('nodejs_heap_size_used_bytes'));
      await delay(pollMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
