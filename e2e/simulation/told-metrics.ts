import type { MetricRegistry } from '../../shared/runtime/metric-registry';
import { MetricSamples } from '../metric-samples';
import type { SimulatedProcess } from './process';

/** The metrics of a process. Asked several times while nothing happens in its world, it writes them once. */
export function toldMetrics(process: SimulatedProcess, registry: MetricRegistry): () => Promise<MetricSamples> {
  let told: { readonly atStep: number; readonly samples: MetricSamples } | undefined;
  return async () => {
    const atStep = process.worldStep;
    if (told?.atStep !== atStep) told = { atStep, samples: new MetricSamples(await registry.text()) };
    return told.samples;
  };
}
