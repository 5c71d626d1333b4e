import type { Clock, Timer } from '../../shared/runtime/clock';
import type { Random } from '../../shared/runtime/random';
import type { Loop } from './loop';

/**
 * A process, as far as the world can reach it. Everything that reaches it (a timer, or bytes from a connection) goes
 * through {@link deliver}. A dead process gets nothing any more, so its pending awaits never end. A frozen process gets
 * everything later.
 */
export class SimulatedProcess {
  /** Identifies the process to the API server and in the Lease. */
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly #loop: Loop;
  readonly #held: (() => void)[] = [];
  readonly #onDeath: (() => void)[] = [];
  #state: 'running' | 'frozen' | 'dead' = 'running';
  #skewMs = 0;

  constructor(name: string, loop: Loop, random: Random) {
    this.name = name;
    this.#loop = loop;
    this.random = random;
    this.clock = {
      nowMs: () => loop.nowMs() + this.#skewMs,
      monotonicMs: () => loop.monotonicMs(),
      timer: (delayMs, callback) => this.#timer(delayMs, callback),
    };
  }

  get state(): 'running' | 'frozen' | 'dead' {
    return this.#state;
  }

  deliver(run: () => void): void {
    if (this.#state === 'running') run();
    else if (this.#state === 'frozen') this.#held.push(run);
  }

  /** Like kill -9: the code stops at its current await. */
  kill(): void {
    this.#state = 'dead';
    this.#held.length = 0;
    for (const closed of this.#onDeath) closed();
  }

  /** `closed` lets the other side of a connection learn of the death. */
  onDeath(closed: () => void): void {
    this.#onDeath.push(closed);
  }

  freeze(): void {
    if (this.#state === 'running') this.#state = 'frozen';
  }

  /** Delivers what was held, in order, one by one, and before anything newer. */
  thaw(): void {
    if (this.#state !== 'frozen') return;
    const next = this.#held.shift();
    if (next === undefined) {
      this.#state = 'running';
      return;
    }
    next();
    this.#loop.timer(0, () => this.thaw());
  }

  /** Sets the wall clock off, as a clock correction would. The monotonic clock is not affected. */
  setClockOff(skewMs: number): void {
    this.#skewMs = skewMs;
  }

  #timer(delayMs: number, callback: () => void): Timer {
    let cancelled = false;
    const run = (): void => {
      if (!cancelled) callback();
    };
    const timer = this.#loop.timer(delayMs, () => this.deliver(run));
    const cancel = (): void => {
      cancelled = true;
      timer.cancel();
    };
    return { cancel };
  }
}
