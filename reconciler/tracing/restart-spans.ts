import { maxNamedSources } from '../../shared/domain/plan/describe-change';
import type { AuditDecision } from '../../shared/domain/protocol/audit-line';
import type { HistoryCause } from '../../shared/domain/protocol/history';
import { sourceId, type SourceRef } from '../../shared/domain/sources/source';
import { changeSpanId, restartSpanId, spanIdOf, traceIdOf } from '../../shared/domain/sources/trace-id';
import { attributeNames, changeAttributes, errorAttributes, workloadAttributes } from '../../shared/tracing/attributes';
import type { Span, SpanAttributes, SpanRef } from '../../shared/tracing/span';
import type { HistoryTarget } from '../history/history-entry';
import { delayOf, type Waited } from './waited';

/** A decision about one workload, for one or several changes. Times are of the wall clock. */
export interface TracedDecision {
  readonly decision: AuditDecision | 'coalesced';
  /** Undefined: there was none to be written. */
  readonly restartId: string | undefined;
  readonly atMs: number;
  readonly target: HistoryTarget;
  readonly strategy?: string | undefined;
  readonly causes: readonly HistoryCause[];
  readonly waited: Waited;
  /** The code of the error that refused the restart. */
  readonly errorCode?: string | undefined;
  /** Why Reroll wrote no restart, although one was due. */
  readonly reason?: string | undefined;
}

/** A cause with its trace, and the span of the restart there. */
export interface TracedCause extends SpanRef {
  readonly cause: HistoryCause;
  readonly source: SourceRef;
  readonly changeId: string;
}

/** What a decision adds to the trace of one of its causes. */
export interface SpansOfCause {
  readonly traced: TracedCause;
  /** When the change was noticed, as far as it is known. */
  readonly noticedMs: number;
  /** The restart, and the steps below it in order. */
  readonly spans: readonly Span[];
}

/** The spans of a decision whose last step has ended now: those of each cause in the trace of that. */
export function restartSpans(decision: TracedDecision, nowMs: number): readonly SpansOfCause[] {
  const { restartId, atMs, target, waited, errorCode } = decision;
  const about = restartId ?? `${target.uid} ${String(atMs)}`;
  const causes = tracedCauses(decision.causes, target, about);
  return causes.map((traced, index) => {
    const { traceId, spanId, source } = traced;
    const noticedMs = Math.min(atMs, waited.noticedMs.get(sourceId(source)) ?? delayOf(waited)?.sinceMs ?? atMs);
    const others = index === 0 ? causes.slice(1) : causes.slice(0, 1);
    const restart: Span = {
      ...{ traceId, spanId, parentSpanId: changeSpanId(traceId), name: `restart ${target.kind}`, kind: 'internal' },
      ...{ startMs: noticedMs, endMs: nowMs, error: errorCode },
      attributes: { ...causeAttributes(traced), ...decisionAttributes(decision) },
      links: others.map((other) => ({ traceId: other.traceId, spanId: other.spanId })),
    };
    return { traced, noticedMs, spans: [restart, ...stepsOf(decision, restart)] };
  });
}

/** What the restart consists of, in order. */
function stepsOf({ atMs, decision, reason, target, waited }: TracedDecision, restart: Span): readonly Span[] {
  const { traceId, spanId, startMs, endMs } = restart;
  const step = (name: string, span: Pick<Span, 'startMs' | 'endMs'> & Partial<Span>): Span => ({
    ...{ traceId, spanId: spanIdOf(traceId, name, spanId), parentSpanId: spanId },
    ...{ name, kind: 'internal', attributes: {}, ...span },
  });
  const settledMs = Math.min(atMs, waited.settledMs ?? startMs);
  const delay = delayOf(waited);
  const delayedMs = Math.max(settledMs, startMs, delay?.sinceMs ?? 0);
  const isWritten = decision === 'restarted' && reason === undefined;
  return [
    ...(settledMs > startMs ? [step('settle', { startMs, endMs: settledMs })] : []),
    ...(delay && delayedMs < atMs
      ? [step('wait', { startMs: delayedMs, endMs: atMs, attributes: delayAttributes(delay) })]
      : []),
    ...(isWritten ? [step(`write ${target.kind}`, { kind: 'client', startMs: atMs, endMs })] : []),
  ];
}

/** The causes that are known by the id of their change; an older version did not write it down. */
export function tracedCauses(
  causes: readonly HistoryCause[],
  { namespace: ofTarget }: HistoryTarget,
  restartId: string,
): readonly TracedCause[] {
  return causes.slice(0, maxNamedSources).flatMap((cause) => {
    const { kind, name, namespace = ofTarget, change: changeId } = cause;
    if (changeId === undefined) return [];
    const source = { kind, namespace, name };
    const traceId = traceIdOf(source, changeId);
    return [{ cause, source, changeId, traceId, spanId: restartSpanId(traceId, restartId) }];
  });
}

export function causeAttributes({ cause, source, changeId }: Omit<TracedCause, keyof SpanRef>): SpanAttributes {
  const { keys, author: user, manager, why } = cause;
  return { ...changeAttributes({ source, changeId, keys, user, manager }), [attributeNames.why]: why };
}

function decisionAttributes(traced: TracedDecision): SpanAttributes {
  const { decision, restartId, target, strategy, causes, errorCode, reason } = traced;
  const more = causes.length - maxNamedSources;
  return {
    ...workloadAttributes(target),
    [attributeNames.decision]: decision,
    ...(restartId !== undefined && { [attributeNames.restart]: restartId }),
    ...(strategy !== undefined && { [attributeNames.strategy]: strategy }),
    ...(more > 0 && { [attributeNames.moreSources]: more }),
    ...(reason !== undefined && { [attributeNames.reason]: reason }),
    ...(errorCode !== undefined && errorAttributes(errorCode)),
  };
}

function delayAttributes({ waitsFor, errorCode }: NonNullable<Waited['look']>): SpanAttributes {
  return { [attributeNames.wait]: waitsFor, ...(errorCode !== undefined && errorAttributes(errorCode)) };
}
