import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { quantile } from '../bench/statistics';
import { projectDir } from '../control-plane/versions';

/** Where screenshots and figures are kept. */
export const artefactsDir = path.join(projectDir, 'artefacts', 'page');

export function artefact(name: string): string {
  mkdirSync(artefactsDir, { recursive: true });
  return path.join(artefactsDir, name);
}

/** Figures of a run, which are printed at its end and kept. */
export class Figures {
  readonly #figures = new Map<string, string>();

  add(name: string, figure: string): void {
    this.#figures.set(name, figure);
  }

  /** Milliseconds, as median and highest. */
  addTimes(name: string, times: readonly number[]): void {
    const at = (share: number): string => quantile(times, share).toFixed(0);
    this.add(name, `median ${at(0.5)} ms, p95 ${at(0.95)} ms, highest ${at(1)} ms, of ${times.length}`);
  }

  write(): void {
    writeFileSync(artefact('figures.json'), `${JSON.stringify(Object.fromEntries(this.#figures), undefined, 2)}\n`);
    process.stdout.write([...this.#figures].map(([name, figure]) => `${name}: ${figure}\n`).join(''));
  }
}
