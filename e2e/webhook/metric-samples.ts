type Labels = Readonly<Record<string, string>>;

interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

const sampleLine = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const labelPair = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** What a process or an API server said about itself at one moment. */
export class MetricSamples {
  readonly #samples: readonly Sample[];

  /** @see https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
  constructor(text: string) {
    this.#samples = text.split('\n').flatMap((line) => {
      const [, name, labels = '', value] = sampleLine.exec(line) ?? [];
      if (name === undefined) return [];
      const pairs = [...labels.matchAll(labelPair)].map(([, label, quoted]) => [label, quoted] as const);
      return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
    });
  }

  /** Of all series of this name that have these labels; 0 when there is none. */
  sum(name: string, labels: Labels = {}): number {
    return this.#samples
      .filter((sample) => sample.name === name)
      .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
      .reduce((sum, { value }) => sum + value, 0);
  }
}
