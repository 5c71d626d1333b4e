import { resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import {
  ATTR_SERVICE_INSTANCE_ID,
  ATTR_SERVICE_NAME,
  ATTR_SERVICE_NAMESPACE,
  ATTR_SERVICE_VERSION,
} from '@opentelemetry/semantic-conventions';
import { HttpsPostTransport } from '../outbound/https-post-transport';
import type { TraceOptions } from '../runtime/options/trace-options';
import type { Component } from '../runtime/process/lifecycle';
import { version } from '../runtime/version';
import { SpanExporter, type SpanExporterOptions } from './span-exporter';

/** What traces say of the process that sends them. */
export interface TracedProcess {
  readonly command: 'reconciler' | 'webhook';
  /** No other process has it. */
  readonly instance: string;
  readonly namespace: string;
}

export type TracingDeps = Omit<SpanExporterOptions, 'transport' | 'resource'>;

/** Sends spans to `url`. */
export function spanExporter(url: URL, options: TraceOptions, deps: TracingDeps, process: TracedProcess): SpanExporter {
  const transport = new HttpsPostTransport({ clock: deps.clock, url, headers: options.otlpHeaders });
  return new SpanExporter({ ...deps, transport, resource: resourceOf(options, process) });
}

/** Stops after whatever adds spans. */
export function exporterComponent(exporter: SpanExporter): Component {
  return { name: 'traces', start: () => undefined, stop: async () => await exporter.stop() };
}

/** By the rules of OpenTelemetry, the option for the name wins over the one for all attributes, and that over ours. */
export function resourceOf(
  { otelServiceName, otelResourceAttributes }: Pick<TraceOptions, 'otelServiceName' | 'otelResourceAttributes'>,
  { command, instance, namespace }: TracedProcess,
): Resource {
  return resourceFromAttributes({
    [ATTR_SERVICE_NAME]: `reroll-${command}`,
    [ATTR_SERVICE_NAMESPACE]: namespace,
    [ATTR_SERVICE_INSTANCE_ID]: instance,
    [ATTR_SERVICE_VERSION]: version,
    ...Object.fromEntries(otelResourceAttributes),
    ...(otelServiceName !== undefined && { [ATTR_SERVICE_NAME]: otelServiceName }),
  });
}
