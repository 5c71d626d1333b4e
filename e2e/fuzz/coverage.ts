/**
 * The counters of one file, as the instrumenter keeps them: one for each statement, and for each branch one for each
 * way out.
 */
interface FileCounters {
  readonly s: Record<string, number>;
  readonly b: Record<string, number[]>;
}

type AllCounters = Readonly<Record<string, FileCounters>>;

/** How often a block ran, in steps: 1, 2, 3, 4-7, 8-15, … If a loop runs longer than before, that is news, too. */
const stepsOfCount = 16;

/**
 * Collects the blocks that ran from the counters of an instrumented bundle. A feature is a block together with the step
 * of its count.
 */
export class Coverage {
  readonly #counters: () => AllCounters;
  readonly #files = new Set<string>();
  readonly #groups: Record<string, number>[] = [];
  readonly #firstBlocks: number[] = [];
  #blocks = 0;

  constructor(counters: () => AllCounters = () => (globalThis as { __coverage__?: AllCounters }).__coverage__ ?? {}) {
    this.#counters = counters;
  }

  /** The number of blocks in all files that were loaded. */
  get blocks(): number {
    return this.#blocks;
  }

  /** Returns the features since the last call, and resets the counters. */
  take(): readonly number[] {
    this.#findFiles();
    const features: number[] = [];
    for (const [group, counters] of this.#groups.entries()) {
      const first = this.#firstBlocks[group] ?? 0;
      for (const key in counters) {
        const count = counters[key] ?? 0;
        if (count === 0) continue;
        features.push((first + Number(key)) * stepsOfCount + stepOf(count));
        counters[key] = 0;
      }
    }
    return features;
  }

  /** A file registers when its first line runs, which may be late. */
  #findFiles(): void {
    const all = this.#counters();
    for (const file in all) {
      const counters = all[file];
      if (!counters || this.#files.has(file)) continue;
      this.#files.add(file);
      for (const group of [counters.s, ...Object.values(counters.b)]) {
        this.#groups.push(group as Record<string, number>);
        this.#firstBlocks.push(this.#blocks);
        this.#blocks += Object.keys(group).length;
      }
    }
  }
}

export function blockOf(feature: number): number {
  return Math.floor(feature / stepsOfCount);
}

function stepOf(count: number): number {
  return count < 4 ? count - 1 : Math.min(stepsOfCount - 1, 1 + Math.floor(Math.log2(count)));
}
