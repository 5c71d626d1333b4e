import { readFile } from 'node:fs/promises';
import { resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import {
  ATTR_SERVICE_INSTANCE_ID,
  ATTR_SERVICE_NAME,
  ATTR_SERVICE_NAMESPACE,
  ATTR_SERVICE_VERSION,
} from '@opentelemetry/semantic-conventions';
import { HttpsPostTransport } from '../outbound/https-post-transport';
import { codeOf, PostError, type PostTransport } from '../outbound/post-transport';
import type { Clock } from '../runtime/clock';
import type { TraceOptions } from '../runtime/options/trace-options';
import type { Component } from '../runtime/process/lifecycle';
import { caBundleProblem } from '../runtime/tls/ca-file-source';
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
  const transport = transportTo(url, options, deps.clock);
  return new SpanExporter({ ...deps, transport, resource: resourceOf(options, process) });
}

/** The connection to the endpoint. */
export function transportTo(
  url: URL,
  { otlpHeaders: headers, otlpCertificate: caFile }: Pick<TraceOptions, 'otlpHeaders' | 'otlpCertificate'>,
  clock: Clock,
): PostTransport {
  const loadCa = caFile === undefined ? undefined : async (): Promise<string> => await caIn(caFile);
  return new HttpsPostTransport({ clock, url, headers, loadCa });
}

/** Traces stop no restart, so a file that cannot be used is told like an endpoint that cannot be reached. */
async function caIn(file: string): Promise<string> {
  const bundle = await readFile(file, 'utf8').catch((thrown: unknown) => {
    throw new PostError(`--otlp-certificate: the file cannot be read (${codeOf(thrown)})`);
  });
  const problem = caBundleProblem(bundle);
  if (problem !== undefined) throw new PostError(`--otlp-certificate: ${problem}`);
  return bundle;
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
