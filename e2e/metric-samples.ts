import type { Series } from '../shared/runtime/metric-registry';

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

const sampleLine = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const labelPair = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** What a process or an API server said about itself at one moment. */
export class MetricSamples {
  /** As it was said. */
  readonly text: string;
  /** By name; of what is asked about a handful of series, it is not worth reading all the labels. */
  readonly #lines = new Map<string, string[]>();

  /** @see https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
  constructor(text: string) {
    this.text = text;
    for (const line of text.split('\n')) {
      if (line === '' || line.startsWith('#')) continue;
      const name = line.slice(0, line.search(/[{ ]/));
      const lines = this.#lines.get(name);
      if (lines) lines.push(line);
      else this.#lines.set(name, [line]);
    }
  }

  /** All series of this name. */
  of(name: string): readonly Sample[] {
    return (this.#lines.get(name) ?? []).map((line) => {
      const [, , labels = '', value] = sampleLine.exec(line) ?? [];
      const pairs = [...labels.matchAll(labelPair)].map(([, label, quoted]) => [label, quoted] as const);
      return { labels: Object.fromEntries(pairs) as Labels, value: Number(value) };
    });
  }

  /** Of all series of this name that have these labels; 0 when there is none. */
  sum(name: string, labels: Labels = {}): number {
    return sumOf(this.of(name), labels);
  }
}

/** Of those that have these labels. */
export function sumOf(series: readonly Series[], labels: Labels): number {
  return series
    .filter((one) => Object.entries(labels).every(([label, value]) => one.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
}
