import { describeProblem } from '../../shared/domain/annotations/annotation-problem';
import { ownAnnotations } from '../../shared/domain/annotations/annotations';
import { budgets } from '../../shared/domain/budgets';
import { errorMessage } from '../../shared/domain/errors';
import { hasContent, parseSourceId, type SourceId } from '../../shared/domain/sources/source';
import { textDigest } from '../../shared/domain/sources/text-digest';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import { isLeftToNextRun } from '../../shared/domain/workloads/workload-settings';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { ConflictError, ForbiddenError, InvalidError } from '../../shared/kube/errors';
import type { EventReason, EventRecorder } from '../../shared/kube/client/events';
import type { KubeObject } from '../../shared/kube/client/objects';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import type { AlertSink } from '../alerts/alert';
import type { Metrics } from '../metrics/metrics';
import { MarkerLostError } from '../apply/marker-lost-error';
import { StaleWorkloadError } from '../apply/read-again';
import { NotLeadingError, type Restart } from '../apply/restart';
import { BudgetEvents } from './budget-events';
import { BaselineTooLargeError } from '../apply/baseline-too-large-error';
import type { EntryProblem, JobRecreation } from '../apply/journal-entry';
import type { RefusedEntry } from '../apply/journal-store';
import type { Change } from '../../shared/domain/plan/change';
import { countEvent, countPassedOver } from './event-counts';
import { whatHappened } from './event-labels';
import type { Verdict } from '../../shared/domain/plan/verdict';
import {
  authorsOf,
  describeChange,
  describeChanges,
  describeRemovers,
  describeVerdict,
  describeWorkload,
} from '../../shared/domain/plan/describe-change';
import type { SourceChange } from '../sources/source-index';
import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';

/** Two names that an API server accepts. */
const objectKeyPattern = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\/[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

const entryProblems: Readonly<Record<EntryProblem, string>> = {
  'no-mac': 'it has no MAC: an earlier version of Reroll wrote it, or somebody else did',
  'wrong-mac':
    'its MAC is wrong: it was written before the key in Secret reroll-journal-key, or somebody else wrote or changed it',
  unreadable: 'its content cannot be read',
  'other-job': 'its content is for another Job than its label and annotation name',
};

export interface ReporterOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly events: Pick<EventRecorder, 'record'>;
  /** Undefined: nothing is told outside of the cluster. */
  readonly alerts?: AlertSink | undefined;
}

/** What does not pass by itself. */
const personsErrors = [ForbiddenError, InvalidError, BaselineTooLargeError, MarkerLostError] as const;

/** Of those with too many keys. */
const maxNamedSources = 5;

/** Says what happened and why: log, metrics, Events, alerts. Decides nothing. */
export class Reporter {
  readonly #options: ReporterOptions;
  /** Problems already told of a workload: each is told once, not at every write to its status. */
  readonly #told = new Map<WorkloadKey, string>();

  /** Sources with too many keys that were told of a workload. */
  readonly #toldKeys = new Map<WorkloadKey, string>();
  readonly #budgetEvents = new BudgetEvents((target, message) => this.#event(target, 'Warning', 'OverBudget', message));

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  /** Whether this replica leads: only then it writes Events about what every replica sees. */
  lead(leads: boolean): void {
    this.#budgetEvents.lead(leads);
  }

  /** A change in a namespace that the selector does not select. */
  sourceNotSelected(change: SourceChange): void {
    countPassedOver(this.#options.metrics, change);
  }

  sourceChanged(change: SourceChange, users: number): void {
    const { kind, namespace, name, before, after } = change;
    const what = whatHappened(change);
    const keys =
      before && after && hasContent(before) && hasContent(after) && !before.content.isCoarse && !after.content.isCoarse
        ? before.content.differingKeys(after.content)
        : undefined;
    countEvent(this.#options.metrics, change);
    const fields = { source: `${kind} ${namespace}/${name}`, what, keys, users };
    const { clock, logger } = this.#options;
    // In a large cluster most changes concern nobody.
    if (users === 0) logger.debug(`${kind} ${namespace}/${name} ${what}; no tracked workload uses it`, fields);
    // To write a line takes as long as to decide: the queue has its turn first.
    else clock.timer(0, () => logger.info(`${kind} ${namespace}/${name} ${what}`, fields));
  }

  /** What its annotations or its baseline say that cannot be meant. */
  problems({ key, record, baselineProblem }: Pick<TrackedWorkload, 'key' | 'record' | 'baselineProblem'>): void {
    const { logger, metrics } = this.#options;
    const name = describeWorkload(record);
    const lines = record.problems.map((problem) => describeProblem(name, problem));
    const baseline =
      baselineProblem === undefined
        ? []
        : [`${name}: annotation reroll.dev/baseline cannot be read: ${baselineProblem}`];
    const all = [...lines, ...baseline];
    // As long as it is kept, a digest is enough to know it by. Most workloads have no problem.
    const told = all.length === 0 ? undefined : textDigest(all.join('\n'));
    if (this.#told.get(key) === told) return;
    if (told === undefined) this.#told.delete(key);
    else this.#told.set(key, told);
    for (const line of all) logger.warn(line, { workload: name });
    const costly = lines.filter((_line, index) => record.problems[index]?.code === 'over-budget');
    this.#budgetEvents.owe(key, record, costly.join('; '));
    metrics.annotationProblemsTotal.inc(lines.length);
    metrics.baselineProblemsTotal.inc(baseline.length);
  }

  /** A workload uses single keys of sources that have too many to tell them apart. Told by who plans, and so by who leads. */
  tooManyKeys({ key, record }: TrackedWorkload, verdicts: readonly Verdict[]): void {
    const sources = verdicts.flatMap(({ kind, name, tooManyKeys }) => (tooManyKeys ? [`${kind} ${name}`] : []));
    const told = sources.length === 0 ? undefined : textDigest(sources.join());
    if (this.#toldKeys.get(key) === told) return;
    this.#toldKeys.delete(key);
    if (told === undefined) return;
    this.#toldKeys.set(key, told);
    const named = sources.slice(0, maxNamedSources).join(', ') + (sources.length > maxNamedSources ? ', …' : '');
    const why =
      `more than ${budgets.sourceKeys} keys, or names of keys that take more than ${budgets.sourceKeyNameBytes} bytes, in ` +
      `${named}: any change there restarts the workload, also of keys that it does not use; divide it into several`;
    const workload = describeWorkload(record);
    this.#options.logger.warn(`${workload} uses keys of a source that has too many: ${why}`, { workload });
    this.#event(record, 'Warning', 'OverBudget', why);
  }

  looked({ record }: TrackedWorkload, startedMs: number): void {
    const { clock, metrics } = this.#options;
    metrics.workloadsScannedTotal.inc({ kind: record.kind });
    metrics.reconcileTotal.inc({ result: 'success' });
    metrics.reconcileDurationSeconds.observe({ result: 'success' }, (clock.monotonicMs() - startedMs) / 1000);
  }

  /** A change that led to no restart: why not, for each source that had changed. */
  leftAlone({ record }: TrackedWorkload, changed: ReadonlySet<SourceId>, verdicts: readonly Verdict[]): void {
    if (changed.size === 0) return;
    const { logger, metrics } = this.#options;
    const concerned = verdicts.filter(({ id }) => changed.has(id));
    const workload = describeWorkload(record);
    const unused = [...changed].filter((id) => !concerned.some((verdict) => verdict.id === id));
    const because = [...concerned.map(describeVerdict), ...unused.map((id) => `${id}: it asks for it no more`)];
    logger.info(`${workload} left alone`, { workload, sources: [...changed], because });
    const compared = concerned.some(({ comparison }) => comparison !== undefined);
    metrics.skippedTotal.inc({ reason: compared ? 'no_data_change' : 'ignored_or_not_selected' });
  }

  adopted({ record, baselineLost }: TrackedWorkload, { stored }: { readonly stored: boolean }): void {
    const workload = describeWorkload(record);
    if (!stored) {
      this.#options.logger.debug(`${workload}: baseline kept in memory; nothing restarted`, { workload });
      return;
    }
    const what = baselineLost ? 'put back, after somebody removed it or brought back an older one' : 'recorded';
    this.#options.logger.info(`${workload}: baseline ${what}; nothing restarted`, { workload });
    this.#options.metrics.adoptionsTotal.inc({ kind: record.kind });
  }

  /** Somebody removes its baseline again and again: one of these field managers, if any is known. */
  baselineRemoved({ record }: TrackedWorkload, removers: readonly string[]): void {
    const workload = describeWorkload(record);
    const what =
      `annotation ${ownAnnotations.baseline} is removed again and again. ${describeRemovers(removers)}. ` +
      'It is put back ever more rarely; while it is gone, a change that no replica sees is missed. ' +
      'Let the one that removes it keep annotations that are not its own, or register the webhook with ' +
      '--register=mutating, which keeps it in that very write (docs/webhook.md, "What a write keeps")';
    this.#options.logger.warn(`${workload}: ${what}`, { workload, fieldManagers: removers });
    this.#event(record, 'Warning', 'BaselineRemoved', what);
  }

  /** `did` completes "the workload was …"; `changedMs` is when its source changed, by the monotonic clock, if seen. */
  restarted(
    { record }: TrackedWorkload,
    restart: Restart,
    { did, changedMs }: { readonly did: string; readonly changedMs: number | undefined },
  ): void {
    const { clock, logger, metrics } = this.#options;
    const { id, strategy, changes } = restart;
    if (changedMs !== undefined) {
      const seconds = (clock.monotonicMs() - changedMs) / 1000;
      metrics.actionLatencySeconds.observe({ workload_kind: record.kind }, seconds);
      metrics.channel.restarted(
        changes.map(({ attribution }) => attribution),
        seconds,
      );
    }
    const workload = describeWorkload(record);
    const because = changes.map(describeChange);
    logger.info(`${workload} ${did}`, {
      workload,
      because,
      strategy,
      restartId: id,
      sources: changes.map((change) => change.id),
      ...attributionFields(changes),
    });
    this.#count(record, true);
    const detail = `${describeChanges(changes)}. ${record.kind} ${did} (${strategy}, ${id})`;
    this.#event(record, 'Normal', 'Reloaded', detail);
    this.#options.alerts?.send({ sources: changes, workload: record, detail });
  }

  /** A rollout that somebody else began has given its pods what has changed. `how` completes "not restarted: …". */
  folded({ record }: TrackedWorkload, changes: readonly Change[], how: string): void {
    const { logger, metrics } = this.#options;
    const workload = describeWorkload(record);
    logger.info(`${workload} not restarted: ${how}`, {
      workload,
      because: changes.map(describeChange),
      sources: changes.map(({ id }) => id),
      ...attributionFields(changes),
    });
    metrics.foldedRestartsTotal.inc({ workload_kind: record.kind });
  }

  /** A dry run has decided on a restart. */
  withheld({ record }: TrackedWorkload, { strategy, changes }: Restart): void {
    const { logger, metrics } = this.#options;
    const workload = describeWorkload(record);
    const because = changes.map(describeChange);
    const sources = changes.map(({ id }) => id);
    const would = isLeftToNextRun(record.kind, record.settings) ? 'take the change at its next run' : 'be restarted';
    logger.info(`dry run: ${workload} would ${would}`, { workload, because, strategy, sources, dryRun: true });
    metrics.dryRunRestartsTotal.inc({ workload_kind: record.kind });
  }

  /** `how` completes "the workload was resumed …". */
  resumed({ record }: TrackedWorkload, how: string): void {
    const workload = describeWorkload(record);
    this.#options.logger.info(`${workload} resumed ${how}`, { workload });
  }

  /** The changes that a restart answers, written or under way. */
  answered(changes: readonly Change[]): void {
    for (const { attribution } of changes) this.#options.metrics.channel.changed(attribution);
  }

  jobRecreated(entry: JobRecreation, job: KubeObject): void {
    const { name, namespace = '', uid } = job.metadata;
    const record = { kind: 'Job', namespace, name, uid } as const;
    const workload = describeWorkload(record);
    const { restartId, sources, because } = entry;
    this.#options.logger.info(`${workload} created anew`, { workload, because, sources, restartId });
    this.#count(record, true);
    const detail = `${because.join('; ')}. Job created anew (${restartId})`;
    this.#event(record, 'Normal', 'Reloaded', detail);
    this.#options.alerts?.send({ sources: sources.flatMap((id) => parseSourceId(id) ?? []), workload: record, detail });
  }

  /** A Job that is deleted cannot be created again yet; it is tried again. */
  jobNotCreated({ uid, successor, because, restartId }: JobRecreation, error: unknown): void {
    const { name, namespace } = successor.metadata;
    const record = { kind: 'Job', namespace, name, uid } as const;
    const workload = describeWorkload(record);
    this.#count(record, false);
    this.#options.logger.warn(`${workload} is deleted and not created anew yet; trying again until it is`, {
      ...{ workload, because, restartId },
      error: errorMessage(error),
    });
    this.#toMend(record, error, 'deleted, and not created anew until this is mended: ');
  }

  /** A Secret that looks like an entry of the journal, and does not verify. */
  journalEntryRefused({ namespace, name, job, why }: RefusedEntry): void {
    const { logger, metrics } = this.#options;
    metrics.journalEntriesRefusedTotal.inc();
    // Somebody else may have written it: what is no name of a Job is not repeated.
    const named = objectKeyPattern.test(job) ? `Job ${job}` : 'the Job that it may have been written for';
    logger.warn(
      `Secret ${namespace}/${name} is labelled as a journal entry of a Job that is being created anew, but ` +
        `${entryProblems[why]}. Nothing is created from it, and it stays as it is. Find out who wrote it; create ${named} ` +
        'if that is missing; then delete the Secret',
      {
        secret: `${namespace}/${name}`,
        why,
        fix: `kubectl -n ${namespace} get secret ${name} -o yaml --show-managed-fields`,
      },
    );
  }

  /** A restart that could not be written; it is tried again. */
  notRestarted({ record }: TrackedWorkload, error: unknown): void {
    if (!isConflict(error) && !(error instanceof NotLeadingError)) this.#count(record, false);
  }

  failed({ record }: TrackedWorkload, error: unknown, startedMs: number): void {
    const { clock, logger, metrics } = this.#options;
    const workload = describeWorkload(record);
    metrics.reconcileDurationSeconds.observe({ result: 'error' }, (clock.monotonicMs() - startedMs) / 1000);
    metrics.reconcileTotal.inc({ result: 'error' });
    if (isConflict(error)) {
      metrics.conflictsTotal.inc();
      logger.debug(`${workload} has moved on; trying again with its new state`, { workload });
      return;
    }
    metrics.errorsTotal.inc({ type: 'handler_error' });
    logger.warn(`${workload} could not be written; trying again`, { workload, error: errorMessage(error) });
    this.#toMend(record, error);
  }

  /** Nothing is decided before it is known what its sources hold. */
  notRead({ record }: TrackedWorkload, error: unknown): void {
    const { logger, metrics } = this.#options;
    const workload = describeWorkload(record);
    metrics.errorsTotal.inc({ type: 'handler_error' });
    logger.warn(`a source of ${workload} could not be read; trying again`, { workload, error: errorMessage(error) });
  }

  forget(key: WorkloadKey): void {
    this.#told.delete(key);
    this.#toldKeys.delete(key);
    this.#budgetEvents.forget(key);
  }

  /** What a person must mend is told where they look; what passes by itself is not. */
  #toMend(record: Pick<WorkloadRecord, 'kind' | 'namespace' | 'name' | 'uid'>, error: unknown, before = ''): void {
    const isToMend = personsErrors.some((type) => error instanceof type);
    if (isToMend) this.#event(record, 'Warning', 'ReloadFail', before + errorMessage(error));
  }

  #count({ kind, namespace }: Pick<WorkloadRecord, 'kind' | 'namespace'>, success: boolean): void {
    const { metrics } = this.#options;
    metrics.reloadExecutedTotal.inc({ success: String(success) });
    metrics.reloadExecutedTotalByNamespace?.inc({ success: String(success), namespace });
    metrics.actionTotal.inc({ workload_kind: kind, result: success ? 'success' : 'error' });
    if (success) metrics.workloadsMatchedTotal.inc({ kind });
    else metrics.reloadErrorsTotal.inc();
  }

  /** Not waited for: an Event that cannot be written delays no restart. */
  #event(
    { kind, namespace, name, uid }: Pick<WorkloadRecord, 'kind' | 'namespace' | 'name' | 'uid'>,
    type: 'Normal' | 'Warning',
    reason: EventReason,
    message: string,
  ): void {
    const { group, version } = workloadKind(kind).resource;
    const regarding = { apiVersion: `${group}/${version}`, kind, namespace, name, uid };
    void this.#options.events.record({ regarding, type, reason, message });
  }
}

/** The workload moved on under us: no failure, only to be looked at again. */
function isConflict(error: unknown): boolean {
  return error instanceof ConflictError || error instanceof StaleWorkloadError;
}

/** For the log: who made the changes, with what, and on which way we learnt of them. */
function attributionFields(changes: readonly Change[]) {
  const known = changes.flatMap(({ attribution }) => attribution ?? []);
  const { users, more } = authorsOf(changes);
  const managers = [...new Set(known.flatMap(({ manager }) => manager ?? []))];
  return {
    ...(users.length > 0 && { users, managers }),
    ...(more > 0 && { moreUsers: more }),
    paths: [...new Set(changes.map(({ attribution }) => attribution?.path ?? 'watch'))],
  };
}
