import type { TraceOptions } from '../../shared/runtime/options/trace-options';
import type { Component } from '../../shared/runtime/process/lifecycle';
import { exporterComponent, spanExporter, type TracedProcess, type TracingDeps } from '../../shared/tracing/tracing';
import { AdmissionTraces } from './admission-traces';

export interface AdmissionTracing {
  readonly traces: AdmissionTraces;
  readonly component: Component;
}

/** Traces of the webhook, sent to `url`. */
export function admissionTracing(
  url: URL,
  options: TraceOptions,
  deps: TracingDeps,
  process: TracedProcess,
): AdmissionTracing {
  const spans = spanExporter(url, options, deps, process);
  return { traces: new AdmissionTraces({ clock: deps.clock, spans }), component: exporterComponent(spans) };
}
