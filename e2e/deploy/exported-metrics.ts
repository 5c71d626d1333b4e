import { CertsMetrics } from '../../certs/metrics';
import { Metrics } from '../../reconciler/metrics/metrics';
import { MetricRegistry } from '../../shared/runtime/metric-registry';
import { WebhookMetrics } from '../../webhook/metrics';
import { MetricSamples } from '../metric-samples';

/** The labels of one series name, with their known values; undefined means any value. */
export type ExportedLabels = ReadonlyMap<string, ReadonlySet<string> | undefined>;

/** Stands for all values of a label whose values are not known beforehand. */
const anyValue = 'any';

/** The registries of the three processes, each with at least one series of every metric. */
export function exportedRegistries(): Readonly<Record<'reconciler' | 'webhook' | 'certs', MetricRegistry>> {
  const reconciler = new Metrics({ countByNamespace: true });
  reconciler.reloadExecutedTotalByNamespace?.inc({ success: anyValue, namespace: anyValue });
  reconciler.restClientRequestsTotal.inc({ code: anyValue, method: anyValue, host: anyValue });
  reconciler.restClientRequestDurationSeconds.observe({ verb: anyValue, host: anyValue }, 1);
  reconciler.watchReconnectsTotal.inc({ resource: anyValue, reason: anyValue });
  reconciler.watchSynced.set({ resource: anyValue }, 1);
  const certs = new MetricRegistry();
  new CertsMetrics(certs, { certificates: true });
  return { reconciler: reconciler.registry, webhook: new WebhookMetrics().registry, certs };
}

/** All series of all processes, including the process metrics that each exports. */
export async function exportedSeries(): Promise<ReadonlyMap<string, ExportedLabels>> {
  const registries = Object.values(exportedRegistries());
  const ofProcess = new MetricRegistry();
  ofProcess.collectProcessMetrics();
  const series = new Map<string, ExportedLabels>();
  for (const registry of [...registries, ofProcess]) {
    const samples = new MetricSamples(await registry.text());
    for (const name of seriesNames(samples.text)) {
      const labels = new Map<string, Set<string> | undefined>();
      for (const [label, value] of samples.of(name).flatMap((sample) => Object.entries(sample.labels))) {
        const values = labels.has(label) ? labels.get(label) : new Set<string>();
        labels.set(label, value === anyValue || registry === ofProcess ? undefined : values?.add(value));
      }
      series.set(name, labels);
    }
  }
  return series;
}

function seriesNames(text: string): readonly string[] {
  return [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => name + suffix) : [name],
  );
}
