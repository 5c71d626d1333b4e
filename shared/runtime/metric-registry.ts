import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { version } from './version';

/** Every label of a metric with the values known beforehand; an empty list leaves the values to the first use. */
export type LabelValues<L extends string> = Readonly<Record<L, readonly string[]>>;

/** One line of an exposition. */
export interface Series {
  readonly labels: Readonly<Partial<Record<string, string | number>>>;
  readonly value: number;
}

/** Named as if they were counters, and told better by `nodejs_active_handles` and its siblings. */
const misnamedProcessMetrics = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/**
 * The delay of the event loop is told by a timer, and is never less than this. The default of 10 would be two thirds of
 * all processor time of a process at rest.
 */
const eventLoopSampleMs = 100;

/**
 * The metrics of one process. Series whose labels are known start at 0, so that `rate()` sees the first increment. No
 * label may hold the name of a user or of a source: its cardinality is the cluster's.
 */
export class MetricRegistry {
  readonly #registry = new Registry();
  readonly #refreshers: (() => void)[] = [];

  /** Adds `process_*` and `nodejs_*`. These read the process, so only the composition root asks for them. */
  collectProcessMetrics(): void {
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: eventLoopSampleMs });
    for (const name of misnamedProcessMetrics) this.#registry.removeSingleMetric(name);
  }

  /** Adds the version of the process, which all of ours tell alike. */
  tellVersion(): void {
    this.gauge('reroll_build_info', 'Always 1; the version is its label.', { version: [version] }).set({ version }, 1);
  }

  /** `refresh` runs before each exposition: for gauges of what is cheap to count and changes all the time. */
  onScrape(refresh: () => void): void {
    this.#refreshers.push(refresh);
  }

  /** The value of the Content-Type header that goes with {@link text}. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The Prometheus text exposition. */
  async text(): Promise<string> {
    for (const refresh of this.#refreshers) refresh();
    return await this.#registry.metrics();
  }

  /** What stands in {@link text} of one counter or gauge, without writing all the rest; empty where there is none. */
  async series(name: string): Promise<readonly Series[]> {
    for (const refresh of this.#refreshers) refresh();
    const told = await this.#registry.getSingleMetric(name)?.get();
    return (told?.values ?? []).map(({ labels, value }) => ({ labels: { ...labels }, value }));
  }

  counter<L extends string>(name: string, help: string, labels: LabelValues<L>): Counter<L> {
    const counter = new Counter({ name, help, labelNames: labelNames(labels), registers: [this.#registry] });
    for (const series of knownSeries(labels)) counter.inc(series, 0);
    return counter;
  }

  gauge<L extends string>(name: string, help: string, labels: LabelValues<L>): Gauge<L> {
    const gauge = new Gauge({ name, help, labelNames: labelNames(labels), registers: [this.#registry] });
    for (const series of knownSeries(labels)) gauge.set(series, 0);
    return gauge;
  }

  histogram<L extends string>(name: string, help: string, labels: LabelValues<L>, buckets: number[]): Histogram<L> {
    const histogram = new Histogram({
      name,
      help,
      labelNames: labelNames(labels),
      buckets,
      registers: [this.#registry],
    });
    for (const series of knownSeries(labels)) histogram.zero(series);
    return histogram;
  }
}

function labelNames<L extends string>(labels: LabelValues<L>): L[] {
  return Object.keys(labels) as L[];
}

/** Every combination of label values; none as soon as one label is open. */
function knownSeries<L extends string>(labels: LabelValues<L>): Record<L, string>[] {
  return labelNames(labels).reduce<Record<L, string>[]>(
    (series, name) => series.flatMap((labelled) => labels[name].map((value) => ({ ...labelled, [name]: value }))),
    [{} as Record<L, string>],
  );
}
