import { hash } from 'node:crypto';
import { sourceKey, type SourceRef } from './source';

/** Lengths that OpenTelemetry prescribes, in hex digits. */
const traceIdLength = 32;
const spanIdLength = 16;

/** Keep these ids apart from every other hash of the same texts. */
const traceDomain = 'reroll trace id';
const spanDomain = 'reroll span id';

/**
 * The id of the trace of a change. Webhook and reconcilers compute the same one, and so does whoever reads the id of the
 * change (see `changeId`) in the history: nothing has to be sent along. The source is hashed too, because an id of a
 * change is short: two of one source that are equal are not to be expected, two in a cluster are.
 */
export function traceIdOf(source: SourceRef, changeId: string): string {
  return hash('sha256', [traceDomain, sourceKey(source), changeId].join('\0'), 'hex').slice(0, traceIdLength);
}

/** The id of a span, of what it is about. A process can name a span of another as the parent of its own. */
export function spanIdOf(traceId: string, ...about: readonly string[]): string {
  return hash('sha256', [spanDomain, traceId, ...about].join('\0'), 'hex').slice(0, spanIdLength);
}

/** The first span of the trace of a change: its admission, or, without a webhook, when it was noticed. */
export function changeSpanId(traceId: string): string {
  return spanIdOf(traceId, 'change');
}

/** The restart of a workload for a change. The next leader knows it from the history, and adds how it ended. */
export function restartSpanId(traceId: string, restartId: string): string {
  return spanIdOf(traceId, 'restart', restartId);
}
