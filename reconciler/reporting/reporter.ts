import { ownAnnotations } from '../../shared/domain/annotations/annotations';
import { errorMessage } from '../../shared/domain/errors';
import { hasContent, parseSourceId, sourceKey, type SourceId } from '../../shared/domain/sources/source';
import { readRestartCause } from '../../shared/domain/workloads/restart-cause';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import { isLeftToNextRun } from '../../shared/domain/workloads/workload-settings';
import type { EventReason, EventRecorder } from '../../shared/kube/client/events';
import type { KubeObject } from '../../shared/kube/client/objects';
import type { Clock } from '../../shared/runtime/clock';
import type { LogFields, Logger } from '../../shared/runtime/log/logger';
import type { AlertSink } from '../alerts/alert';
import type { Metrics } from '../metrics/metrics';
import { isConflict } from '../apply/read-again';
import { NotLeadingError, type Restart } from '../apply/restart';
import type { RestartTraces } from '../tracing/restart-traces';
import type { Waited } from '../tracing/waited';
import type { Decided, HistoryTarget } from '../history/history-entry';
import type { Conclusion, OpenRestart } from '../history/open-restarts';
import type { RestartHistory } from '../history/restart-history';
import { attributionFields, auditOf, auditOfJob } from './audit';
import type { EventTarget } from './budget-events';
import { codeForPerson, isForPerson } from './errors-for-people';
import type { JobRecreation } from '../apply/journal-entry';
import type { RefusedEntry } from '../apply/journal-store';
import type { Change } from '../../shared/domain/plan/change';
import { changeIdOf, countEvent, countPassedOver, whatHappened } from './event-counts';
import { eventText } from './event-text';
import { ProblemReporter, type Problematic } from './problem-reporter';
import { regardingWorkload } from './regarding';
import type { Verdict } from '../../shared/domain/plan/verdict';
import {
  describeChange,
  describeChanges,
  describeVerdict,
  describeWorkload,
} from '../../shared/domain/plan/describe-change';
import type { SourceChange } from '../sources/source-index';
import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';

export interface ReporterOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly history: Pick<
    RestartHistory,
    'restarted' | 'restartedAsTold' | 'withheld' | 'refused' | 'refusedAsTold' | 'notOwed' | 'find'
  >;
  /** Undefined: no alerts are sent. */
  readonly alerts?: AlertSink | undefined;
  /** Undefined: no traces are sent. */
  readonly traces?: RestartTraces | undefined;
}

/** The sources of a settle window. */
type ChangedSources = Pick<ReadonlyMap<SourceId, unknown>, 'has' | 'keys' | 'size'>;

/** A restart that is decided. Whether it could be described does not matter. */
type Refusable = Pick<Restart, 'id' | 'atMs' | 'workload' | 'strategy' | 'changes'>;

/** A restart that is decided and not written. */
interface UnwrittenRestart {
  readonly changes: readonly Change[];
  readonly waited: Waited;
}

interface RestartReport {
  /** Completes "the workload was …". */
  readonly did: string;
  /** When the source changed, by the monotonic clock, if that was seen. */
  readonly changedMs: number | undefined;
  readonly waited?: Waited | undefined;
}

/** Reports what happened and why in logs, metrics, Events, alerts and traces. Decides nothing. */
export class Reporter {
  readonly #options: ReporterOptions;
  /** Refusals whose line is about to be written, with its fields for the audit. */
  readonly #refusals = new Map<WorkloadKey, LogFields>();
  readonly #problems: ProblemReporter;

  constructor(options: ReporterOptions) {
    this.#options = options;
    const { clock, logger, metrics } = options;
    const warn = (target: EventTarget, reason: EventReason, message: string): void =>
      this.#event(target, 'Warning', reason, message);
    this.#problems = new ProblemReporter({ clock, logger, metrics, warn });
  }

  /** Whether this replica leads. Only the leader writes Events about what every replica sees. */
  lead(leads: boolean): void {
    this.#problems.lead(leads);
  }

  /** Values in the workload's annotations or baseline that are invalid. */
  problems(workload: Problematic): void {
    this.#problems.ofWorkload(workload);
  }

  /** The workload uses single keys of sources that have too many keys to tell apart. */
  tooManyKeys(workload: TrackedWorkload, verdicts: readonly Verdict[]): void {
    this.#problems.tooManyKeys(workload, verdicts);
  }

  /** Something keeps removing the workload's baseline; `removers` are the field managers that may have done it. */
  baselineRemoved(workload: TrackedWorkload, removers: readonly string[]): void {
    this.#problems.baselineRemoved(workload, removers);
  }

  /** Something removes the workload's baseline from what Reroll writes. */
  baselineLost(workload: TrackedWorkload): void {
    this.#problems.baselineLost(workload);
  }

  /** A Secret is labelled as a journal entry but does not verify. */
  journalEntryRefused(entry: RefusedEntry): void {
    this.#problems.journalEntryRefused(entry);
  }

  /** A change in a namespace that the namespace selector does not select. */
  sourceNotSelected(change: SourceChange): void {
    countPassedOver(this.#options.metrics, change);
  }

  sourceChanged(change: SourceChange, users: number): void {
    const { before, after } = change;
    const what = whatHappened(change);
    const keys =
      before && after && hasContent(before) && hasContent(after) && !before.content.isCoarse && !after.content.isCoarse
        ? before.content.differingKeys(after.content)
        : undefined;
    countEvent(this.#options.metrics, change);
    const source = sourceKey(change);
    const fields = { source, what, keys, users };
    const { clock, logger } = this.#options;
    // In a large cluster, most changes concern no workload.
    if (users === 0) logger.debug(`${source} ${what}; no tracked workload uses it`, fields);
    // Writing a log line takes as long as deciding, so the queue runs first.
    else clock.timer(0, () => logger.info(`${source} ${what}`, { ...fields, change: changeIdOf(change) }));
  }

  looked({ record }: TrackedWorkload, startedMs: number): void {
    const { clock, metrics } = this.#options;
    metrics.workloadsScannedTotal.inc({ kind: record.kind });
    metrics.reconcileTotal.inc({ result: 'success' });
    metrics.reconcileDurationSeconds.observe({ result: 'success' }, (clock.monotonicMs() - startedMs) / 1000);
  }

  /** A change that led to no restart: the reason for each source that changed. */
  leftAlone({ key, record }: TrackedWorkload, changed: ChangedSources, verdicts: readonly Verdict[]): void {
    const { history, logger, metrics } = this.#options;
    history.notOwed(key);
    if (changed.size === 0) return;
    const concerned = verdicts.filter(({ id }) => changed.has(id));
    const workload = describeWorkload(record);
    const sources = [...changed.keys()];
    const unused = sources.filter((id) => !concerned.some((verdict) => verdict.id === id));
    const because = [
      ...concerned.map(describeVerdict),
      ...unused.map((id) => `${id}: the workload no longer asks for it`),
    ];
    logger.info(`${workload} not restarted`, { workload, sources, because });
    const compared = concerned.some(({ comparison }) => comparison !== undefined);
    metrics.skippedTotal.inc({ reason: compared ? 'no_data_change' : 'ignored_or_not_selected' });
  }

  adopted({ record, baselineLost }: TrackedWorkload, { stored }: { readonly stored: boolean }): void {
    const workload = describeWorkload(record);
    if (!stored) {
      this.#options.logger.debug(`${workload}: baseline kept in memory; nothing restarted`, { workload });
      return;
    }
    const what = baselineLost ? 'restored, after somebody removed it or put an older one in its place' : 'recorded';
    this.#options.logger.info(`${workload}: baseline ${what}; nothing restarted`, { workload });
    this.#options.metrics.adoptionsTotal.inc({ kind: record.kind });
  }

  restarted({ record }: TrackedWorkload, restart: Restart, { did, changedMs, waited }: RestartReport): void {
    const { clock, history, logger, metrics, traces } = this.#options;
    const { id, strategy, changes } = restart;
    if (changedMs !== undefined) {
      const seconds = (clock.monotonicMs() - changedMs) / 1000;
      metrics.actionLatencySeconds.observe({ workload_kind: record.kind }, seconds);
      metrics.channel.restarted(
        changes.map(({ attribution }) => attribution),
        seconds,
      );
    }
    const decided = decidedOf(restart);
    logger.info(`${describeWorkload(record)} ${did}`, auditOf('restarted', decided));
    history.restarted(decided, {
      isLeftToNextRun: isLeftToNextRun(record.kind, record.settings),
      heldUntilMs: restart.pausedUntilMs,
    });
    traces?.decided('restarted', decided, { waited });
    this.#count(record, true);
    const detail = eventText(describeChanges(changes), `${record.kind} ${did}`, `${strategy}, ${id}`);
    this.#event(record, 'Normal', 'Reloaded', detail);
    this.#options.alerts?.send({ sources: changes, workload: record, detail });
  }

  /** A rollout by somebody else already gives the pods the changed content. `how` completes "not restarted: …". */
  coalesced({ key, record }: TrackedWorkload, changes: readonly Change[], how: string, waited?: Waited): void {
    const { history, logger, metrics, traces } = this.#options;
    history.notOwed(key);
    const workload = describeWorkload(record);
    logger.info(`${workload} not restarted: ${how}`, {
      workload,
      because: changes.map(describeChange),
      sources: changes.map(({ id }) => id),
      ...attributionFields(changes),
    });
    metrics.foldedRestartsTotal.inc({ workload_kind: record.kind });
    traces?.coalesced({ target: targetOf(record), changes }, { reason: how, waited });
  }

  /** Somebody else's write brought the restart that the webhook had put into it. */
  brought(workload: TrackedWorkload, changes: readonly Change[]): void {
    const { history, logger, metrics, traces } = this.#options;
    const { record } = workload;
    const { lastRestart } = record;
    // Something removed the annotation from the write, so nothing names the restart.
    if (!lastRestart) {
      this.coalesced(workload, changes, "somebody else's write of its pod template already rolls out the change");
      return;
    }
    metrics.foldedRestartsTotal.inc({ workload_kind: record.kind });
    const how = "somebody else's write of its pod template included the owed restart";
    const message = `${describeWorkload(record)} restarted: ${how}`;
    const decided = { ...lastRestart, target: targetOf(record), strategy: record.settings.strategy, changes };
    logger.info(message, auditOf('restarted', decided));
    history.restarted(decided);
    traces?.decided('restarted', decided, { reason: how });
  }

  /** A dry run decided on a restart. */
  withheld({ record }: TrackedWorkload, restart: Restart, waited: Waited): void {
    const { history, logger, metrics, traces } = this.#options;
    const would = isLeftToNextRun(record.kind, record.settings) ? 'take the change at its next run' : 'be restarted';
    const decided = decidedOf(restart);
    logger.info(`dry run: ${describeWorkload(record)} would ${would}`, {
      ...auditOf('withheld', decided),
      dryRun: true,
    });
    history.withheld(decided);
    traces?.decided('withheld', decided, { waited });
    metrics.dryRunRestartsTotal.inc({ workload_kind: record.kind });
  }

  /** `how` completes "the workload was resumed …". */
  resumed({ record }: TrackedWorkload, how: string): void {
    const workload = describeWorkload(record);
    this.#options.logger.info(`${workload} resumed ${how}`, { workload });
  }

  /** The changes that a restart answers, whether it is written or still in progress. */
  answered(changes: readonly Change[]): void {
    for (const { attribution } of changes) this.#options.metrics.channel.changed(attribution);
  }

  /** A Job is about to be deleted and created again. */
  underWay({ record }: TrackedWorkload, { changes, waited }: UnwrittenRestart): void {
    this.#options.traces?.postponed({ target: targetOf(record), changes }, waited);
  }

  jobRecreated(entry: JobRecreation, job: KubeObject): void {
    const { history, logger, alerts, traces } = this.#options;
    const { name, namespace = '', uid } = job.metadata;
    const record = { kind: 'Job', namespace, name, uid } as const;
    const { restartId, sources, because } = entry;
    const told = readRestartCause(toldIn(entry));
    logger.info(`${describeWorkload(record)} recreated`, auditOfJob('restarted', record, entry, told));
    history.restartedAsTold(record, toldIn(entry));
    if (told) traces?.told('restarted', record, told, { formerUid: entry.uid });
    this.#count(record, true);
    const detail = eventText(because.join('; '), 'Job recreated', restartId);
    this.#event(record, 'Normal', 'Reloaded', detail);
    alerts?.send({ sources: sources.flatMap((id) => parseSourceId(id) ?? []), workload: record, detail });
  }

  /** A deleted Job could not be recreated yet. It is retried. */
  jobNotCreated(entry: JobRecreation, error: unknown): void {
    const { history, logger, traces } = this.#options;
    const { uid, successor, because, restartId } = entry;
    const { name, namespace } = successor.metadata;
    const record = { kind: 'Job', namespace, name, uid } as const;
    const workload = describeWorkload(record);
    const told = readRestartCause(toldIn(entry));
    this.#count(record, false);
    const code = codeForPerson(error);
    const isRefused = code !== undefined && history.refusedAsTold(record, toldIn(entry), code);
    if (told && isRefused) traces?.told('refused', record, told, { errorCode: code });
    logger.warn(`${workload} was deleted and could not be recreated yet; retrying until it is`, {
      ...(isRefused
        ? { ...auditOfJob('refused', record, entry, told), errorCode: code }
        : { workload, because, restartId }),
      error: errorMessage(error),
    });
    this.#toFix(record, error, 'deleted, and not recreated until this is fixed: ');
  }

  /** It is known how a restart ended. */
  ended(restart: OpenRestart, conclusion: Conclusion): void {
    const { history, logger, metrics, traces } = this.#options;
    const { id, target } = restart;
    const { outcome, reason = '' } = conclusion;
    metrics.restartOutcomesTotal.inc({ outcome });
    const entry = traces && history.find(id);
    if (entry) traces.ended(restart, entry, conclusion);
    const workload = describeWorkload(target);
    const fields = { workload, restartId: id, outcome, ...(reason !== '' && { reason }) };
    if (outcome !== 'unhealthy') {
      logger.debug(`${workload}: its restart ended`, fields);
      return;
    }
    logger.warn(`${workload} is not healthy since its restart: ${reason}`, fields);
    this.#event(target, 'Warning', 'ReloadUnhealthy', `not healthy since the restart ${id}: ${reason}`);
  }

  /** A restart was refused by what only a person can change. It is retried, and told once. */
  refused(restart: Refusable, error: unknown, waited?: Waited): void {
    const errorCode = codeForPerson(error);
    const decided = decidedOf(restart);
    if (errorCode === undefined || !this.#options.history.refused(decided, errorCode)) return;
    this.#refusals.set(restart.workload.key, { ...auditOf('refused', decided), errorCode });
    this.#options.traces?.decided('refused', decided, { errorCode, waited });
  }

  /** A restart could not be written. It is retried. */
  notRestarted({ record }: TrackedWorkload, error: unknown, failed?: UnwrittenRestart): void {
    if (failed) this.#options.traces?.postponed({ target: targetOf(record), changes: failed.changes }, failed.waited);
    if (!isConflict(error) && !(error instanceof NotLeadingError)) this.#count(record, false);
  }

  failed({ key, record }: TrackedWorkload, error: unknown, startedMs: number): void {
    const { clock, logger, metrics } = this.#options;
    const workload = describeWorkload(record);
    metrics.reconcileDurationSeconds.observe({ result: 'error' }, (clock.monotonicMs() - startedMs) / 1000);
    metrics.reconcileTotal.inc({ result: 'error' });
    if (isConflict(error)) {
      metrics.conflictsTotal.inc();
      logger.debug(`${workload} was changed meanwhile; trying again with its new state`, { workload });
      return;
    }
    metrics.errorsTotal.inc({ type: 'handler_error' });
    const audit = this.#refusals.get(key);
    this.#refusals.delete(key);
    logger.warn(`${workload} could not be written; trying again`, { workload, ...audit, error: errorMessage(error) });
    this.#toFix(record, error);
  }

  /** A source could not be read. Nothing is decided before the content of all sources is known. */
  notRead({ record }: TrackedWorkload, error: unknown): void {
    const { logger, metrics } = this.#options;
    const workload = describeWorkload(record);
    metrics.errorsTotal.inc({ type: 'handler_error' });
    logger.warn(`a source of ${workload} could not be read; trying again`, { workload, error: errorMessage(error) });
  }

  forget(key: WorkloadKey): void {
    this.#refusals.delete(key);
    this.#problems.forget(key);
  }

  /** An error that a person must fix gets an Event. One that passes by itself does not. */
  #toFix(record: EventTarget, error: unknown, before = ''): void {
    if (isForPerson(error)) this.#event(record, 'Warning', 'ReloadFail', before + errorMessage(error));
  }

  #count({ kind, namespace }: Pick<WorkloadRecord, 'kind' | 'namespace'>, success: boolean): void {
    const { metrics } = this.#options;
    metrics.reloadExecutedTotal.inc({ success: String(success) });
    metrics.reloadExecutedTotalByNamespace?.inc({ success: String(success), namespace });
    metrics.actionTotal.inc({ workload_kind: kind, result: success ? 'success' : 'error' });
    if (success) metrics.workloadsMatchedTotal.inc({ kind });
    else metrics.reloadErrorsTotal.inc();
  }

  /** Not awaited: an Event that cannot be written delays no restart. */
  #event(target: EventTarget, type: 'Normal' | 'Warning', reason: EventReason, message: string): void {
    void this.#options.events.record({ regarding: regardingWorkload(target), type, reason, message });
  }
}

function targetOf({ kind, namespace, name, uid }: HistoryTarget): HistoryTarget {
  return { kind, namespace, name, uid };
}

/** A restart as history and audit are told of it. */
function decidedOf({ id, atMs, workload, strategy, changes }: Refusable): Decided {
  return { id, atMs, target: targetOf(workload.record), strategy, changes };
}

function toldIn({ successor }: JobRecreation): string | undefined {
  return successor.metadata.annotations[ownAnnotations.lastRestart];
}
