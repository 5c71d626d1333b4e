import type { Draw } from '../simulation/draw';
import { blockOf } from './coverage';

interface Entry {
  readonly input: Buffer;
  readonly features: readonly number[];
}

/** Inputs up to this size run quickly. */
const handyBytes = 4 * 1024;

/** The inputs of a run that are worth mutating: each was the first to reach something. */
export class Pool {
  readonly #entries: Entry[] = [];
  readonly #seen = new Set<number>();
  readonly #blocks = new Set<number>();

  get size(): number {
    return this.#entries.length;
  }

  get coveredBlocks(): number {
    return this.#blocks.size;
  }

  /** Whether at least one of the features is new. */
  isNews(features: readonly number[]): boolean {
    return features.some((feature) => !this.#seen.has(feature));
  }

  add(input: Buffer, features: readonly number[]): void {
    this.#entries.push({ input: Buffer.from(input), features });
    for (const feature of features) {
      this.#seen.add(feature);
      this.#blocks.add(blockOf(feature));
    }
  }

  /**
   * Picks one of the newest quarter half of the time, since they have been explored least. Seldom picks a large input,
   * because it takes long to run.
   */
  pick(draw: Draw): Buffer {
    const from = draw.chance(0.5) ? Math.floor(this.#entries.length * 0.75) : 0;
    let input: Buffer = Buffer.alloc(0);
    for (let tries = 0; tries < 4; tries++) {
      input = this.#entries[draw.int(from, this.#entries.length - 1)]?.input ?? input;
      if (input.length <= handyBytes || draw.chance(0.05)) break;
    }
    return input;
  }

  /** A few small inputs that together reach every block that was reached, each with the blocks that it is kept for. */
  distilled(): readonly { readonly input: Buffer; readonly blocks: readonly number[] }[] {
    const left = new Set(this.#blocks);
    const bySize = this.#entries.toSorted((one, other) => one.input.length - other.input.length);
    return bySize.flatMap(({ input, features }) => {
      const blocks = [...new Set(features.map(blockOf))].filter((block) => left.delete(block));
      return blocks.length === 0 ? [] : [{ input, blocks }];
    });
  }
}
