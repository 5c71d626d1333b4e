import type { Series } from '../shared/runtime/metric-registry';

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

const sampleLine = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const labelPair = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** One scrape of the metrics of a process or an API server. */
export class MetricSamples {
  /** The scraped text. */
  readonly text: string;
  /** Lines by metric name. Labels are parsed only on demand, because a test reads only a handful of series. */
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

  /** The sum of all series of this name that have these labels; 0 if there are none. */
  sum(name: string, labels: Labels = {}): number {
    return sumOf(this.of(name), labels);
  }
}

/** The sum of the series that have these labels. */
export function sumOf(series: readonly Series[], labels: Labels): number {
  return series
    .filter((one) => Object.entries(labels).every(([label, value]) => one.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
}
