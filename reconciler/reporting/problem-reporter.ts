import { describeProblem } from '../../shared/domain/annotations/annotation-problem';
import { gateAnnotations, ownAnnotations } from '../../shared/domain/annotations/annotations';
import { budgets } from '../../shared/domain/budgets';
import { describeRemovers, describeWorkload } from '../../shared/domain/plan/describe-change';
import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import type { Verdict } from '../../shared/domain/plan/verdict';
import { textDigest } from '../../shared/domain/sources/content-digest';
import type { EventReason } from '../../shared/kube/client/events';
import type { Logger } from '../../shared/runtime/log/logger';
import { NamespaceLines } from '../../shared/runtime/log/namespace-lines';
import type { EntryProblem } from '../apply/journal-entry';
import type { RefusedEntry } from '../apply/journal-store';
import type { Metrics } from '../metrics/metrics';
import type { Clock } from '../../shared/runtime/clock';
import { BudgetEvents, type EventTarget } from './budget-events';

/** Namespace and name, both valid. */
const objectKeyPattern = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\/[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

const entryProblems: Readonly<Record<EntryProblem, string>> = {
  'no-mac': 'it has no MAC: an earlier version of Reroll or somebody else wrote it',
  'wrong-mac':
    'its MAC is wrong: it was written before the key in Secret reroll-journal-key, or somebody else wrote or changed it',
  unreadable: 'its content cannot be read',
  'other-job': 'its content is for a different Job than its label and annotation name',
};

/** Limit of the sources with too many keys that one message names. */
const maxNamedSources = 5;

/** What of a workload tells that something on it is invalid. */
export type Problematic = Pick<TrackedWorkload, 'key' | 'record' | 'baselineProblem'>;

/** A first list may show as many workloads of one namespace; whoever writes a workload again and again gets no more lines. */
const maxLines = 500;

export interface ProblemReporterOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'annotationProblemsTotal' | 'baselineProblemsTotal' | 'journalEntriesRefusedTotal'>;
  /** Writes a Warning Event. */
  readonly warn: (target: EventTarget, reason: EventReason, message: string) => void;
}

/** Reports what is wrong with objects, or with what others do to them: once, and not each time it is seen. */
export class ProblemReporter {
  readonly #options: ProblemReporterOptions;
  /** The problems last reported for each workload, as a digest: reported once, not at every status update. */
  readonly #reported = new Map<WorkloadKey, string>();
  /** The sources with too many keys last reported for each workload, as a digest. */
  readonly #reportedKeys = new Map<WorkloadKey, string>();
  readonly #lines: NamespaceLines;
  readonly #budgetEvents = new BudgetEvents((target, message) => this.#options.warn(target, 'OverBudget', message));

  constructor(options: ProblemReporterOptions) {
    this.#options = options;
    const { clock, logger } = options;
    this.#lines = new NamespaceLines({ clock, logger, maxLines });
  }

  /** Whether this replica leads. Only the leader writes Events about what every replica sees. */
  lead(leads: boolean): void {
    this.#budgetEvents.lead(leads);
  }

  /** Values in the workload's annotations or baseline that are invalid. All are counted, and some are logged. */
  ofWorkload({ key, record, baselineProblem }: Problematic): void {
    // Nearly all workloads have no problem, and this is called for each event of those that nothing may restart.
    if (record.problems.length === 0 && baselineProblem === undefined && !this.#reported.has(key)) return;
    const { metrics } = this.#options;
    const name = describeWorkload(record);
    const lines = record.problems.map((problem) => describeProblem(name, problem));
    const baseline =
      baselineProblem === undefined
        ? []
        : [`${name}: annotation reroll.dev/baseline cannot be read: ${baselineProblem}`];
    const all = [...lines, ...baseline];
    // A digest is enough to recognize the problems, and most workloads have none.
    const reported = all.length === 0 ? undefined : textDigest(all.join('\n'));
    if (this.#reported.get(key) === reported) return;
    if (reported === undefined) this.#reported.delete(key);
    else this.#reported.set(key, reported);
    for (const line of all) this.#lines.warn(line, record.namespace, { workload: name });
    const costly = lines.filter((_line, index) => record.problems[index]?.code === 'over-budget');
    this.#budgetEvents.owe(key, record, costly.join('; '));
    metrics.annotationProblemsTotal.inc(lines.length);
    metrics.baselineProblemsTotal.inc(baseline.length);
  }

  /**
   * The workload uses single keys of sources that have too many keys to tell apart. Only the leader plans, so only it
   * reports this.
   */
  tooManyKeys({ key, record }: TrackedWorkload, verdicts: readonly Verdict[]): void {
    const sources = verdicts.flatMap(({ kind, name, tooManyKeys }) => (tooManyKeys ? [`${kind} ${name}`] : []));
    const reported = sources.length === 0 ? undefined : textDigest(sources.join());
    if (this.#reportedKeys.get(key) === reported) return;
    this.#reportedKeys.delete(key);
    if (reported === undefined) return;
    this.#reportedKeys.set(key, reported);
    const named = sources.slice(0, maxNamedSources).join(', ') + (sources.length > maxNamedSources ? ', …' : '');
    const why =
      `more than ${budgets.sourceKeys} keys, or with ${gateAnnotations.keys} more than ${budgets.filteredKeys}, or key names of more than ` +
      `${budgets.sourceKeyNameBytes} bytes in total, in ${named}: any change there restarts the workload, even of keys that do not ` +
      'count; split the source';
    const workload = describeWorkload(record);
    this.#lines.warn(`${workload} uses keys of a source that has too many: ${why}`, record.namespace, { workload });
    this.#options.warn(record, 'OverBudget', why);
  }

  /** Something keeps removing the workload's baseline; `removers` are the field managers that may have done it. */
  baselineRemoved({ record }: TrackedWorkload, removers: readonly string[]): void {
    const workload = describeWorkload(record);
    const what =
      `annotation ${ownAnnotations.baseline} keeps being removed. ${describeRemovers(removers)}. ` +
      'Reroll restores it less and less often; while it is missing, a change that no replica sees is lost. ' +
      'Make that controller keep annotations that it does not own, or register the webhook with ' +
      '--register=mutating, which keeps the annotation in that same write (docs/webhook.md, "What a write keeps")';
    this.#options.logger.warn(`${workload}: ${what}`, { workload, fieldManagers: removers });
    this.#options.warn(record, 'BaselineRemoved', what);
  }

  /** Something removes the workload's baseline from what Reroll writes. */
  baselineLost({ record }: TrackedWorkload): void {
    const workload = describeWorkload(record);
    const what =
      `annotation ${ownAnnotations.baseline} is not stored: something that changes writes, such as a mutating webhook, ` +
      'removes it or keeps the former one. Reroll keeps it in memory and tries again every ten minutes. Until it is stored, ' +
      'the next leader may restart the workload again for changes that it has already restarted for, or miss a change that ' +
      'nobody saw. Make that webhook keep the annotations that field manager reroll writes';
    this.#options.logger.warn(`${workload}: ${what}`, { workload });
    this.#options.warn(record, 'BaselineRemoved', what);
  }

  /** A Secret is labelled as a journal entry but does not verify. */
  journalEntryRefused({ namespace, name, job, why }: RefusedEntry): void {
    const { logger, metrics } = this.#options;
    metrics.journalEntriesRefusedTotal.inc();
    // Somebody else may have written the Secret, so text that is not a valid Job name is not repeated.
    const named = objectKeyPattern.test(job) ? `Job ${job}` : 'the Job that it may have been written for';
    logger.warn(
      `Secret ${namespace}/${name} is labelled as a journal entry of a Job that is being recreated, but ` +
        `${entryProblems[why]}. Nothing is created from it, and it is left as it is. Find out who wrote it; create ${named} ` +
        'if it is missing; then delete the Secret',
      {
        secret: `${namespace}/${name}`,
        why,
        fix: `kubectl -n ${namespace} get secret ${name} -o yaml --show-managed-fields`,
      },
    );
  }

  forget(key: WorkloadKey): void {
    this.#reported.delete(key);
    this.#reportedKeys.delete(key);
    this.#budgetEvents.forget(key);
  }
}
