import type { MetricRegistry } from '../../shared/runtime/metric-registry';
import { sumOf, type Labels } from '../metric-samples';

/** What a process tells of itself. */
export interface ToldMetrics {
  /** Of all series of this name that have these labels; 0 when there is none. */
  sum(name: string, labels?: Labels): Promise<number>;
  text(): Promise<string>;
}

export function toldMetrics(registry: MetricRegistry): ToldMetrics {
  return {
    sum: async (name, labels = {}) => sumOf(await registry.series(name), labels),
    text: async () => await registry.text(),
  };
}
