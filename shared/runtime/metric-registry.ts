import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { version } from './version';

/** Every label of a metric with the values known beforehand; an empty list: the values are not known yet. */
export type LabelValues<L extends string> = Readonly<Record<L, readonly string[]>>;

/** One line of an exposition. */
export interface Series {
  readonly labels: Readonly<Partial<Record<string, string | number>>>;
  readonly value: number;
}

/**
 * These metrics are named like counters; `nodejs_active_handles` and its siblings report the same with better names.
 */
const misnamedProcessMetrics = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/**
 * The delay of the event loop is measured by a timer, and is never less than its interval. The default of 10 ms would
 * cause two thirds of all CPU time of an idle process, and at 100 ms it still causes ten of eleven wake-ups.
 */
const eventLoopSampleMs = 500;

/**
 * The metrics of one process. Series with known labels start at 0, so that `rate()` sees the first increment. No label
 * may hold the name of a user or a source, because its cardinality would grow with the cluster.
 */
export class MetricRegistry {
  readonly #registry = new Registry();
  readonly #refreshers: (() => void)[] = [];

  /** Adds `process_*` and `nodejs_*`. These read the process, so only the composition root adds them. */
  collectProcessMetrics(): void {
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: eventLoopSampleMs });
    for (const name of misnamedProcessMetrics) this.#registry.removeSingleMetric(name);
  }

  /** Adds the version of the process, with the same metric in all commands. */
  registerBuildInfo(): void {
    this.gauge('reroll_build_info', 'Always 1; the version is its label.', { version: [version] }).set({ version }, 1);
  }

  /** `refresh` runs before each exposition: for gauges that are cheap to compute and change all the time. */
  onScrape(refresh: () => void): void {
    this.#refreshers.push(refresh);
  }

  /** The Content-Type header for {@link text}. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The Prometheus text exposition. */
  async text(): Promise<string> {
    for (const refresh of this.#refreshers) refresh();
    return await this.#registry.metrics();
  }

  /** One counter or gauge as in {@link text}, without rendering the others; empty if there is none. */
  async series(name: string): Promise<readonly Series[]> {
    for (const refresh of this.#refreshers) refresh();
    const metric = await this.#registry.getSingleMetric(name)?.get();
    return (metric?.values ?? []).map(({ labels, value }) => ({ labels: { ...labels }, value }));
  }

  counter<L extends string = never>(name: string, help: string, labels = {} as LabelValues<L>): Counter<L> {
    const counter = new Counter({ name, help, labelNames: labelNames(labels), registers: [this.#registry] });
    for (const series of knownSeries(labels)) counter.inc(series, 0);
    return counter;
  }

  gauge<L extends string = never>(name: string, help: string, labels = {} as LabelValues<L>): Gauge<L> {
    const gauge = new Gauge({ name, help, labelNames: labelNames(labels), registers: [this.#registry] });
    for (const series of knownSeries(labels)) gauge.set(series, 0);
    return gauge;
  }

  histogram<L extends string = never>(name: string, help: string, buckets: number[], labels = {} as LabelValues<L>) {
    const registers = [this.#registry];
    const histogram = new Histogram({ name, help, labelNames: labelNames(labels), buckets, registers });
    for (const series of knownSeries(labels)) histogram.zero(series);
    return histogram;
  }
}

function labelNames<L extends string>(labels: LabelValues<L>): L[] {
  return Object.keys(labels) as L[];
}

/** Every combination of label values; none if the values of one label are not known. */
function knownSeries<L extends string>(labels: LabelValues<L>): Record<L, string>[] {
  return labelNames(labels).reduce<Record<L, string>[]>(
    (series, name) => series.flatMap((labelled) => labels[name].map((value) => ({ ...labelled, [name]: value }))),
    [{} as Record<L, string>],
  );
}
