import { ownAnnotations } from '../shared/domain/annotations';
import { formatBaseline, type Baseline } from '../shared/domain/baseline';
import { optedIn, type PolicySettings } from '../shared/domain/policy';
import type { SourceKind } from '../shared/domain/source';
import type { StrategyName, WorkloadRecord } from '../shared/domain/workload';
import { isLeftToNextRun } from '../shared/domain/workload-settings';
import { workloadKind } from '../shared/domain/workload-kinds';
import { ConflictError, NotFoundError } from '../shared/kube/errors';
import { getObject } from '../shared/kube/objects';
import type { Clock } from '../shared/runtime/clock';
import { randomHex, type Random } from '../shared/runtime/random';
import type { AdoptionPace } from './adoption-pace';
import { StaleWorkloadError } from './apply/read-again';
import { NotLeadingError, type ApplyContext, type Restart } from './apply/restart';
import { strategies } from './apply/strategies';
import { BaselineTooLargeError, maxBaselineBytes } from './baseline-too-large-error';
import type { Change } from './change';
import type { Hints } from './channel/hints';
import type { DigestKeys } from './digest-keys';
import { failedAttempt } from './failed-attempt';
import type { QueueResult } from './key-queue';
import type { PauseBegun } from './pauses';
import { plan, type Plan, type PlanSettings, type Term, type Verdict } from './plan';
import { lastRestartAnnotation } from './report';
import type { Reporter } from './reporter';
import type { SettleTimes, SettleWindows } from './settle-window';
import type { SourceIndex } from './source-index';
import type { TrackedWorkload, WorkloadIndex, WorkloadKey } from './workload-index';
import type { Writers } from './writers';

/** What plans are made from. */
export interface PlanView {
  readonly sources: SourceIndex;
  readonly workloads: WorkloadIndex;
  readonly keys: Pick<DigestKeys, 'keyId'>;
  readonly settings: PlanSettings & { readonly policy: PolicySettings };
  readonly knownKinds: () => ReadonlySet<SourceKind>;
  readonly isNamed: (kind: SourceKind, namespace: string, name: string) => boolean;
  /** Undefined while this process must not act. */
  readonly term: () => Term | undefined;
}

export interface WorkerOptions extends PlanView {
  readonly clock: Clock;
  readonly random: Random;
  readonly reporter: Reporter;
  readonly settle: SettleWindows;
  readonly attributions: Pick<Hints, 'attribution'>;
  readonly pace: AdoptionPace;
  readonly writers: Writers;
  readonly context: ApplyContext;
  readonly defaults: SettleTimes & { readonly strategy: StrategyName };
}

/** A right to write a baseline may come. */
const unwrittenMs = 10 * 60_000;

/** A Job is created anew within moments of its predecessor's end. */
const busyJobMs = 1_000;

/** Looks at one workload at a time: plan, then apply. What it did not finish it leaves to the queue. */
export class Worker {
  readonly #options: WorkerOptions;
  /** Versions that a write was refused for: only a newer one is worth another try. */
  readonly #refusedVersions = new Map<WorkloadKey, string>();

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  /** Never rejects: what goes wrong is the result. */
  async process(key: WorkloadKey): Promise<QueueResult> {
    const { clock, reporter } = this.#options;
    const startedMs = clock.monotonicMs();
    const workload = this.#options.workloads.get(key);
    if (!workload) return { kind: 'done' };
    try {
      const result = await this.#look(workload);
      reporter.looked(workload, startedMs);
      return result;
    } catch (error) {
      return this.#failed(workload, error, startedMs);
    }
  }

  /** The workload is gone, with everything remembered of it. */
  forget(key: WorkloadKey): void {
    this.#refusedVersions.delete(key);
    this.#options.settle.close(key);
    this.#options.pace.forget(key);
    this.#options.reporter.forget(key);
  }

  async #look(stale: TrackedWorkload): Promise<QueueResult> {
    const { workloads, settle, writers } = this.#options;
    const settlingMs = settle.remainingMs(stale.key, this.#settleTimes(stale.record));
    if (settlingMs > 0) return { kind: 'again', afterMs: settlingMs };
    if (!this.#options.term()) {
      // A standby looks at everything when its term begins; until then windows must not pile up.
      settle.close(stale.key);
      return { kind: 'done' };
    }
    await this.#refreshRefused(stale);
    const workload = workloads.get(stale.key);
    const term = this.#options.term();
    // Asked again after the wait: the lease may be gone, and the workload too.
    if (!workload || !term) return { kind: 'done' };
    const standing = workload.record.kind === 'Job' ? writers.journal.standing(workload.record) : 'free';
    if (standing === 'under-way') return { kind: 'done' };
    if (standing === 'busy') return { kind: 'again', afterMs: busyJobMs };
    try {
      return await this.#act(workload, term);
    } catch (error) {
      if (mayBeStale(error)) this.#refusedVersions.set(workload.key, workload.record.resourceVersion);
      throw error;
    }
  }

  /** A restart that fails must not keep the workload paused, nor a pause keep it from being restarted. */
  async #act(workload: TrackedWorkload, term: Term): Promise<QueueResult> {
    const { settings, writers } = this.#options;
    const { pauses } = writers;
    let result: QueueResult = { kind: 'done' };
    try {
      // It may be tracked for its pause alone.
      if (optedIn(workload.record.policy, settings.policy)) {
        result = await this.#carryOut(workload, this.#plan(workload, term));
      }
    } catch (error) {
      if (!mayBeStale(error)) await pauses.tend(workload.key);
      throw error;
    }
    return sooner(result, await pauses.tend(workload.key));
  }

  #plan(workload: TrackedWorkload, term: Term): Plan {
    const { sources, keys, settings, knownKinds, isNamed } = this.#options;
    const { keyId } = keys;
    return plan({ workload, sources, knownKinds: knownKinds(), isNamed, keyId, term, settings });
  }

  async #carryOut(workload: TrackedWorkload, planned: Plan): Promise<QueueResult> {
    switch (planned.action) {
      case 'none':
        this.#options.reporter.leftAlone(workload, this.#options.settle.close(workload.key).sources, planned.verdicts);
        return { kind: 'done' };
      case 'adopt':
        return await this.#adopt(workload, planned.baseline, planned.verdicts);
      case 'restart':
        return await this.#restart(workload, planned.baseline, this.#attributed(workload, planned.changes));
    }
  }

  async #adopt(workload: TrackedWorkload, baseline: Baseline, verdicts: readonly Verdict[]): Promise<QueueResult> {
    const { pace, context, writers, workloads, reporter, settle } = this.#options;
    const waitMs = pace.take(workload.key, workload.baselineLost);
    if (waitMs > 0) return { kind: 'again', afterMs: waitMs };
    const { sources } = settle.close(workload.key);
    const annotations = { [ownAnnotations.baseline]: baselineText(workload, baseline) };
    const resourceVersion = await writers.annotate(context, workload, annotations);
    if (resourceVersion === undefined) workloads.remember(workload, baseline);
    else workloads.wrote(workload, resourceVersion, baseline);
    reporter.leftAlone(workload, sources, verdicts);
    reporter.adopted(workload, { stored: resourceVersion !== undefined });
    return resourceVersion === undefined ? { kind: 'again', afterMs: unwrittenMs } : { kind: 'done' };
  }

  async #restart(workload: TrackedWorkload, baseline: Baseline, changes: readonly Change[]): Promise<QueueResult> {
    const { writers, context, workloads, reporter, settle } = this.#options;
    const { record } = workload;
    const begun = writers.pauses.begun(workload, this.#options.clock.nowMs());
    const restart = this.#describe(workload, baseline, changes, begun);
    // Before the write: what changes while it is under way opens a window of its own.
    const { firstMs } = settle.close(workload.key);
    try {
      const applied = await writers.methods[workloadKind(record.kind).apply](context, restart);
      if (applied.kind === 'withheld') {
        workloads.remember(workload, baseline);
        reporter.withheld(workload, restart);
        return { kind: 'done' };
      }
      reporter.answered(changes);
      if (applied.kind === 'under-way') return { kind: 'done' };
      if (applied.resourceVersion === undefined) workloads.remember(workload, baseline);
      else workloads.wrote(workload, applied.resourceVersion, baseline, begun?.pause);
      reporter.restarted(workload, restart, { did: applied.did, changedMs: firstMs });
      return applied.resourceVersion === undefined ? { kind: 'again', afterMs: unwrittenMs } : { kind: 'done' };
    } catch (error) {
      reporter.notRestarted(workload, error);
      throw error;
    }
  }

  /** Whose change it is, as far as the webhook told: of the content that is there, not of what was announced. */
  #attributed({ record }: TrackedWorkload, changes: readonly Verdict[]): readonly Change[] {
    const { attributions } = this.#options;
    return changes.map((change) => {
      const { kind, name, whole } = change;
      const attribution =
        whole === undefined ? undefined : attributions.attribution(kind, record.namespace, name, whole);
      return { ...change, attribution };
    });
  }

  #describe(
    workload: TrackedWorkload,
    baseline: Baseline,
    changes: readonly Change[],
    pause: PauseBegun | undefined,
  ): Restart {
    const { random, clock, defaults } = this.#options;
    const { kind, namespace, settings } = workload.record;
    const id = randomHex(random, 8);
    const nowMs = clock.nowMs();
    const strategy = settings.strategy ?? defaults.strategy;
    return {
      id,
      atMs: nowMs,
      workload,
      changes,
      baseline,
      strategy,
      marker: strategies[strategy]({ namespace, changes, restartId: id, nowMs }),
      annotations: {
        [ownAnnotations.baseline]: baselineText(workload, baseline),
        [ownAnnotations.lastRestart]: lastRestartAnnotation(id, nowMs, changes, {
          isLeftToNextRun: isLeftToNextRun(kind, settings),
        }),
        ...pause?.annotations,
      },
      ...(pause && { pausedUntilMs: pause.untilMs }),
    };
  }

  /** After a conflict the watch usually brings the newer version; where it did not, the object is read by name. */
  async #refreshRefused({ key, record }: TrackedWorkload): Promise<void> {
    const refused = this.#refusedVersions.get(key);
    if (refused === undefined) return;
    const { workloads, context } = this.#options;
    if (refused === record.resourceVersion) {
      const { resource } = workloadKind(record.kind);
      const object = await getObject(context.client, resource, record.namespace, record.name);
      // Gone meanwhile: with its namespace out of the selection, say. If it is there all the same, the watch shows it.
      if (workloads.get(key)) workloads.refresh(context.read(record.kind, object));
    }
    this.#refusedVersions.delete(key);
  }

  #failed(workload: TrackedWorkload, error: unknown, startedMs: number): QueueResult {
    const { reporter } = this.#options;
    if (error instanceof NotLeadingError) return { kind: 'done' };
    reporter.failed(workload, error, startedMs);
    return failedAttempt(error);
  }

  #settleTimes({ settings }: WorkloadRecord): SettleTimes {
    const { defaults } = this.#options;
    return {
      settleMs: settings.settleMs ?? defaults.settleMs,
      settleMaxMs: settings.settleMaxMs ?? Math.max(defaults.settleMaxMs, settings.settleMs ?? 0),
    };
  }
}

function baselineText(workload: TrackedWorkload, baseline: Baseline): string {
  const text = formatBaseline(baseline);
  if (text.length > maxBaselineBytes) throw new BaselineTooLargeError(workload, baseline.sources.size, text.length);
  return text;
}

/** Also a 404: if the workload is gone the watch will say so, and until then nothing is forgotten. */
function mayBeStale(error: unknown): boolean {
  return error instanceof ConflictError || error instanceof StaleWorkloadError || error instanceof NotFoundError;
}

function sooner(left: QueueResult, right: QueueResult): QueueResult {
  if (left.kind !== 'again') return right;
  return right.kind === 'again' && right.afterMs < left.afterMs ? right : left;
}
