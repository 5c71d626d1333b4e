import type { Loop } from './loop';

/** What happened in a world, in order, for the person who has to understand a failure. */
export class Story {
  readonly #loop: Loop;
  readonly #lines: string[] = [];

  constructor(loop: Loop) {
    this.#loop = loop;
  }

  tell(who: string, what: string): void {
    const number = String(this.#lines.length + 1).padStart(4);
    const seconds = (this.#loop.monotonicMs() / 1000).toFixed(3).padStart(8);
    this.#lines.push(`${number} ${seconds}s  ${who.padEnd(10)} ${what}`);
  }

  get lines(): readonly string[] {
    return this.#lines;
  }
}
