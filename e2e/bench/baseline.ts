import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { BenchResult } from './result';

const storedSchema = z.record(
  z.string(),
  z.object({
    /** Where and when, for those who compare. */
    machine: z.string(),
    figures: z.record(z.string(), z.number()),
  }),
);

type Stored = z.infer<typeof storedSchema>;

/** Figures of an earlier run, by bench and name: what a later one is compared with, as a report. */
export class Baseline {
  readonly #file: string;
  #stored: Stored;

  /** @throws Error where the file is not what {@link store} writes. */
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

  /** Puts the figures of this bench in the place of what was stored of it. */
  store({ bench, machine: { cpu, cores, memoryGib, node }, figures }: BenchResult): void {
    const machine = `${cpu}, ${cores} cores, ${memoryGib} GiB, Node ${node}`;
    const measured = figures.flatMap(({ name, value }) => (Number.isFinite(value) ? [[name, rounded(value)]] : []));
    this.#stored = { ...this.#stored, [bench]: { machine, figures: Object.fromEntries(measured) as never } };
    writeFileSync(this.#file, `${JSON.stringify(this.#stored, undefined, 2)}\n`);
  }
}

/** More digits than these were never measured. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
