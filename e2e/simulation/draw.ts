import type { Random } from '../../shared/runtime/random';
import { seededRandom } from '../apiserver/seeded-random';

/** The draws of one seed. Each part of a world has its own, so that leaving one part out does not change the others. */
export class Draw {
  readonly random: Random;

  constructor(seed: number) {
    this.random = seededRandom(Math.imul(seed, 0x9e3779b1) ^ 0x5bf03635);
    // Neighbouring seeds begin with similar draws, so the first ones are skipped.
    for (let skipped = 0; skipped < 3; skipped++) this.random.float();
  }

  /** A whole number, both ends included. */
  int(from: number, to: number): number {
    return from + Math.floor(this.random.float() * (to - from + 1));
  }

  chance(probability: number): boolean {
    return this.random.float() < probability;
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.int(0, choices.length - 1)] ?? choices[0];
  }

  /** Undefined if there is nothing to pick from. */
  pickAny<T>(choices: readonly T[]): T | undefined {
    return choices[this.int(0, choices.length - 1)];
  }

  /** Keeps each choice with the given probability. */
  some<T>(choices: readonly T[], probability: number): T[] {
    return choices.filter(() => this.chance(probability));
  }

  seed(): number {
    return this.int(0, 2 ** 31 - 1);
  }
}
