import type { TraceOptions } from '../../shared/runtime/options/trace-options';
import type { Component } from '../../shared/runtime/process/lifecycle';
import { exporterComponent, spanExporter, type TracedProcess, type TracingDeps } from '../../shared/tracing/tracing';
import { RestartTraces } from './restart-traces';

export interface RestartTracing {
  readonly traces: RestartTraces;
  readonly component: Component;
}

/** Traces of the reconciler, sent to `url`. */
export function restartTracing(
  url: URL,
  options: TraceOptions,
  deps: TracingDeps,
  process: TracedProcess,
): RestartTracing {
  const spans = spanExporter(url, options, deps, process);
  return { traces: new RestartTraces({ clock: deps.clock, spans }), component: exporterComponent(spans) };
}
