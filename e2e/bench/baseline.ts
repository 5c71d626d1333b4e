import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { BenchResult } from './result';

const storedSchema = z.record(
  z.string(),
  z.object({
    /** The machine that measured the figures, for readers who compare. */
    machine: z.string(),
    figures: z.record(z.string(), z.number()),
  }),
);

type Stored = z.infer<typeof storedSchema>;

/** Figures of an earlier run, by bench and name. Later runs report the difference; it is no bar. */
export class Baseline {
  readonly #file: string;
  #stored: Stored;

  /** @throws Error if the file is not in the format that {@link store} writes. */
  static read(file = join(__dirname, 'baseline.json')): Baseline {
    return new Baseline(file, storedSchema.parse(JSON.parse(readFileSync(file, 'utf8'))));
  }

  private constructor(file: string, stored: Stored) {
    this.#file = file;
    this.#stored = stored;
  }

  of(bench: string): ReadonlyMap<string, number> {
    return new Map(Object.entries(this.#stored[bench]?.figures ?? {}));
  }

  /** Replaces the stored figures of this bench. */
  store({ bench, machine: { cpu, cores, memoryGib, node }, figures }: BenchResult): void {
    const machine = `${cpu}, ${cores} cores, ${memoryGib} GiB, Node ${node}`;
    const measured = figures.flatMap(({ name, value }) => (Number.isFinite(value) ? [[name, rounded(value)]] : []));
    this.#stored = { ...this.#stored, [bench]: { machine, figures: Object.fromEntries(measured) as never } };
    writeFileSync(this.#file, `${JSON.stringify(this.#stored, undefined, 2)}\n`);
  }
}

/** Measurements are not precise enough for more digits. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
