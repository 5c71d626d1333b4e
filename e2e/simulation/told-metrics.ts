import type { MetricRegistry } from '../../shared/runtime/metric-registry';
import { sumOf, type Labels } from '../metric-samples';

/** The metrics that a process reports. */
export interface ToldMetrics {
  /** The sum of all series with this name and these labels; 0 if there is none. */
  sum(name: string, labels?: Labels): Promise<number>;
  text(): Promise<string>;
}

export function toldMetrics(registry: MetricRegistry): ToldMetrics {
  return {
    sum: async (name, labels = {}) => sumOf(await registry.series(name), labels),
    text: async () => await registry.text(),
  };
}
