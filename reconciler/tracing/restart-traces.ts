import { maxNamedSources } from '../../shared/domain/plan/describe-change';
import type { AuditDecision } from '../../shared/domain/protocol/audit-line';
import type { HistoryCause, HistoryEntry } from '../../shared/domain/protocol/history';
import { causesTold } from '../../shared/domain/protocol/history-cause';
import { changeSpanId, spanIdOf } from '../../shared/domain/sources/trace-id';
import type { RestartCause } from '../../shared/domain/workloads/restart-cause';
import type { Clock } from '../../shared/runtime/clock';
import { RecentMap } from '../../shared/runtime/recent-map';
import { attributeNames, workloadAttributes } from '../../shared/tracing/attributes';
import type { SpanSink } from '../../shared/tracing/span';
import { causeOf, type Decided, type HistoryTarget } from '../history/history-entry';
import type { Conclusion, OpenRestart } from '../history/open-restarts';
import { causeAttributes, restartSpans, tracedCauses, type TracedCause, type TracedDecision } from './restart-spans';
import { waitedForNothing, waitedInAll, type Waited } from './waited';

export interface RestartTracesOptions {
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly spans: SpanSink;
}

/** What else is known of a decision. */
export interface DecisionDetail extends Pick<TracedDecision, 'errorCode' | 'reason'> {
  /** Times are of the monotonic clock, but for that of the look. */
  readonly waited?: Waited | undefined;
  /** Of the Job in whose place another was created. */
  readonly formerUid?: string | undefined;
}

/** The first span of a trace is sent once, however many workloads a change restarts. */
const noticedLimits = { keptMs: 60 * 60_000, maxEntries: 4_096 };

/**
 * Most restarts that fail are tried again at once, because somebody else wrote to the workload. A Job is created again as
 * soon as it is deleted.
 */
const postponedLimits = { keptMs: 60 * 60_000, maxEntries: 256 };

/**
 * What the reconciler adds to the traces of changes. A restart for several changes is in the trace of each.
 *
 *     admit (webhook), or notice
 *     └─ restart
 *        ├─ settle
 *        ├─ wait
 *        ├─ write
 *        └─ roll out, until the pods are well
 *
 * Everything is added when it is over. The ids are hashes of what is in the history, so the next leader can add how a
 * restart of this one ended.
 */
export class RestartTraces {
  readonly #clock: RestartTracesOptions['clock'];
  readonly #spans: SpanSink;
  /** Traces whose first span was added. */
  readonly #noticed: RecentMap<true>;
  /** What restarts waited for that are decided and not written yet, by the uid of the workload. */
  readonly #postponed: RecentMap<Waited>;

  constructor({ clock, spans }: RestartTracesOptions) {
    this.#clock = clock;
    this.#spans = spans;
    this.#noticed = new RecentMap(clock, noticedLimits);
    this.#postponed = new RecentMap(clock, postponedLimits);
  }

  /**
   * A restart could not be written, or is that of a Job, which is deleted first. The try that succeeds, or is refused, tells
   * what this one has waited for.
   */
  postponed({ target, changes }: Pick<Decided, 'target' | 'changes'>, waited: Waited): void {
    const named = changes.slice(0, maxNamedSources).map(({ id }) => id);
    const noticedMs = new Map([...waited.noticedMs].filter(([id]) => named.includes(id)));
    this.#postponed.set(target.uid, waitedInAll(this.#postponed.get(target.uid), { ...waited, noticedMs }));
  }

  decided(decision: AuditDecision, decided: Decided, detail: DecisionDetail = {}): void {
    const { id: restartId, atMs, target, strategy, changes } = decided;
    this.#add({ decision, restartId, atMs, target, strategy, causes: changes.map(causeOf) }, detail, hasAuthor);
  }

  /** Somebody else's rollout gives the pods the changed content. */
  coalesced({ target, changes }: Pick<Decided, 'target' | 'changes'>, detail: DecisionDetail): void {
    const [atMs, causes] = [this.#clock.nowMs(), changes.map(causeOf)];
    this.#add({ decision: 'coalesced', restartId: undefined, atMs, target, causes }, detail, hasAuthor);
  }

  /** A restart of which only the annotation on the workload tells: that of a Job. */
  told(decision: AuditDecision, target: HistoryTarget, told: RestartCause, detail: DecisionDetail = {}): void {
    const { id: restartId, atMs, by } = told;
    this.#add({ decision, restartId, atMs, target, causes: causesTold(told) }, detail, () => by.length > 0);
  }

  /** It is known how a restart ended, which this leader or an earlier one made. */
  ended({ id, atMs, target }: OpenRestart, { causes }: HistoryEntry, { outcome, reason }: Conclusion): void {
    for (const traced of tracedCauses(causes, target, id)) {
      const { traceId, spanId: parentSpanId } = traced;
      const attributes = {
        ...{ ...causeAttributes(traced), ...workloadAttributes(target) },
        ...{ [attributeNames.restart]: id, [attributeNames.outcome]: outcome },
        ...(reason !== undefined && { [attributeNames.reason]: reason }),
      };
      const error = outcome === 'unhealthy' ? (reason ?? outcome) : undefined;
      this.#spans.add(
        {
          ...{ traceId, spanId: spanIdOf(traceId, 'roll out', id), parentSpanId, name: `roll out ${target.kind}` },
          ...{ kind: 'internal', startMs: atMs, endMs: this.#clock.nowMs(), attributes, error },
        },
        target.namespace,
      );
    }
  }

  /** `isAdmitted`: the webhook has reported the change, so the trace has begun there. */
  #add(
    decision: Omit<TracedDecision, 'waited'>,
    { waited: own = waitedForNothing, formerUid, ...detail }: DecisionDetail,
    isAdmitted: (cause: HistoryCause) => boolean,
  ): void {
    const { uid: ownUid, namespace } = decision.target;
    const uid = formerUid ?? ownUid;
    const waited = this.#byWallClock(waitedInAll(this.#postponed.get(uid), own));
    if (decision.decision !== 'refused') this.#postponed.delete(uid);
    for (const { traced, noticedMs, spans } of restartSpans({ ...decision, ...detail, waited }, this.#clock.nowMs())) {
      if (!isAdmitted(traced.cause)) this.#notice(traced, noticedMs);
      for (const span of spans) this.#spans.add(span, namespace);
    }
  }

  /** Nobody announced the change, so its trace begins here. */
  #notice(traced: TracedCause, atMs: number): void {
    const { traceId, source } = traced;
    if (this.#noticed.get(traceId)) return;
    this.#noticed.set(traceId, true);
    this.#spans.add(
      {
        ...{ traceId, spanId: changeSpanId(traceId), parentSpanId: undefined, name: `notice ${source.kind}` },
        ...{ kind: 'internal', startMs: atMs, endMs: atMs, attributes: causeAttributes(traced) },
      },
      source.namespace,
    );
  }

  #byWallClock({ noticedMs, settledMs, look }: Waited): Waited {
    const aheadMs = this.#clock.nowMs() - this.#clock.monotonicMs();
    return {
      noticedMs: new Map([...noticedMs].map(([id, atMs]) => [id, atMs + aheadMs])),
      settledMs: settledMs === undefined ? undefined : settledMs + aheadMs,
      look,
    };
  }
}

function hasAuthor({ author }: HistoryCause): boolean {
  return author !== undefined;
}
