import { setImmediate as macrotask } from 'node:timers';
import type { Clock, Timer } from '../../shared/runtime/clock';
import type { Random } from '../../shared/runtime/random';

interface Due {
  readonly atMs: number;
  /** Random, so that events due at the same moment run in any order, but in the same order for the same seed. */
  readonly draw: number;
  run: (() => void) | undefined;
}

/** The true time at which every world begins. */
export const startMs = Date.UTC(2026, 0, 1);

/** Virtual time. Everything in a simulated world happens because this loop reached it. */
export class Loop implements Clock {
  readonly #random: Random;
  readonly #heap: Due[] = [];
  #nowMs = 0;
  #halted = false;

  constructor(random: Random) {
    this.#random = random;
  }

  /** The world's true time. The API server uses it; the clocks of processes may be off. */
  nowMs(): number {
    return startMs + this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  timer(delayMs: number, callback: () => void): Timer {
    const due: Due = { atMs: this.#nowMs + Math.max(0, delayMs), draw: this.#random.float(), run: callback };
    push(this.#heap, due);
    return { cancel: () => (due.run = undefined) };
  }

  /** Stops the world after the current step. */
  halt(): void {
    this.#halted = true;
  }

  get halted(): boolean {
    return this.#halted;
  }

  /** Runs everything that is due until `untilMs`. After each event, runs all code that waits on promises alone. */
  async runUntil(untilMs: number): Promise<void> {
    await drained();
    for (let next = this.#heap[0]; next !== undefined && next.atMs <= untilMs; next = this.#heap[0]) {
      if (this.#halted) return;
      pop(this.#heap);
      if (next.run === undefined) continue;
      this.#nowMs = next.atMs;
      next.run();
      await drained();
    }
    this.#nowMs = untilMs;
  }
}

/** Nothing in a simulated world does real I/O, so one turn of the real loop empties all microtasks. */
async function drained(): Promise<void> {
  await new Promise<void>((resolve) => macrotask(resolve));
}

function before(left: Due, right: Due): boolean {
  return left.atMs === right.atMs ? left.draw < right.draw : left.atMs < right.atMs;
}

function push(heap: Due[], due: Due): void {
  let index = heap.length;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent]!;
    if (before(above, due)) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = due;
}

function pop(heap: Due[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    let child = 2 * index + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child += 1;
    if (before(last, heap[child]!)) break;
    heap[index] = heap[child]!;
    index = child;
  }
  heap[index] = last;
}
