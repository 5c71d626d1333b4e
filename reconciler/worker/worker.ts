import { ownAnnotations } from '../../shared/domain/annotations/annotations';
import { revertedBaseline, type Baseline } from '../../shared/domain/baseline/baseline';
import { optedIn } from '../../shared/domain/policy/policy';
import type { StrategyName, WorkloadRecord } from '../../shared/domain/workloads/workload';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { ConflictError, NotFoundError } from '../../shared/kube/errors';
import { getObject, type KubeObject } from '../../shared/kube/client/objects';
import type { Clock } from '../../shared/runtime/clock';
import { randomHex, type Random } from '../../shared/runtime/random';
import type { AdoptionRateLimiter } from './adoption-rate-limiter';
import { MarkerLostError } from '../apply/patch-workload';
import { StaleWorkloadError } from '../apply/read-again';
import { NotLeadingError, type ApplyContext, type Restart } from '../apply/restart';
import type { BaselineRemovals } from './baseline-removals';
import { baselineText } from '../apply/baseline-too-large-error';
import type { Change } from '../../shared/domain/plan/change';
import type { Hints } from '../hints/hints';
import { attributed, describeRestart } from './describe-restart';
import type { ComparableVersions } from '../workloads/comparable-versions';
import { failedAttempt, sooner } from '../queue/key-queue';
import type { InjectedRestarts } from './injected-restarts';
import type { Term } from '../../shared/domain/plan/plan-input';
import type { Verdict } from '../../shared/domain/plan/verdict';
import { candidates } from '../../shared/domain/plan/candidates';
import { plan, type Plan } from '../../shared/domain/plan/plan';
import type { PauseBegun } from './pauses';
import { planInput, type PlanView } from './plan-view';
import type { Reporter } from '../reporting/reporter';
import type { RolloutCoalescer } from './rollout-coalescer';
import { settleTimesOf, type Settled, type SettleTimes, type SettleWindows } from './settle-window';
import type { LocalSourceRef } from '../../shared/domain/sources/source';
import type { ContentLoader } from '../reading/content-loader';
import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import { lostRestart, UnansweredRestarts } from './unanswered-restarts';
import type { LookResult, UnfinishedLooks } from './unfinished-looks';
import type { Writers } from './writers';

export interface WorkerOptions extends PlanView {
  readonly contents: Pick<ContentLoader, 'read'>;
  readonly versions: Pick<ComparableVersions, 'known' | 'ask'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly reporter: Reporter;
  readonly settle: SettleWindows;
  readonly coalescer: RolloutCoalescer;
  readonly injected: InjectedRestarts;
  /** For people who ask, never a reason to act. */
  readonly unfinished: Pick<UnfinishedLooks, 'note' | 'forget'>;
  readonly hints: Pick<Hints, 'attribution'>;
  readonly adoptions: AdoptionRateLimiter;
  readonly removals: Pick<BaselineRemovals, 'putBack' | 'forget'>;
  /** Looks whether etcd was restored, and reports it before it resolves. @throws an error of the request */
  readonly checkRestored: () => Promise<void>;
  /** Takes over an object that was read by name. */
  readonly refresh: (record: WorkloadRecord) => void;
  readonly writers: Writers;
  readonly context: ApplyContext;
  readonly defaults: SettleTimes & { readonly strategy: StrategyName };
}

/** Delay until another attempt to write a baseline: the missing permission may be granted later. */
const unwritten: LookResult = { kind: 'again', afterMs: 10 * 60_000, waitsFor: 'baseline-write' };

/** A Job is recreated within moments of the deletion of its predecessor. */
const busyJobMs = 1_000;

/** Processes one workload at a time: plan, then apply. What it does not finish stays in the queue. */
export class Worker {
  readonly #options: WorkerOptions;
  /** Versions that a write was refused for. Only a newer version is worth another try. */
  readonly #refusedVersions = new Map<WorkloadKey, string>();
  /** Workloads whose last restart was stored without its marker. */
  readonly #lostMarkers = new Set<WorkloadKey>();
  readonly #unanswered = new UnansweredRestarts();

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  /** Never rejects: a failure is part of the result. */
  async process(key: WorkloadKey): Promise<LookResult> {
    const { unfinished, workloads } = this.#options;
    const workload = workloads.get(key);
    if (!workload) {
      this.#options.coalescer.forget(key);
      return { kind: 'done' };
    }
    const result = await this.#looked(workload);
    // Deleted during the look: then it waits for nothing.
    if (workloads.get(key)) unfinished.note(workload, result);
    return result;
  }

  async #looked(workload: TrackedWorkload): Promise<LookResult> {
    const { clock, reporter } = this.#options;
    const startedMs = clock.monotonicMs();
    try {
      const result = await this.#look(workload);
      reporter.looked(workload, startedMs);
      return result;
    } catch (error) {
      return this.#failed(workload, error, startedMs);
    }
  }

  /** The workload is deleted; forgets everything about it. */
  forget(key: WorkloadKey): void {
    this.#refusedVersions.delete(key);
    this.#lostMarkers.delete(key);
    this.#unanswered.forget(key);
    this.#close(key);
    this.#options.adoptions.forget(key);
    this.#options.removals.forget(key);
    this.#options.reporter.forget(key);
    this.#options.unfinished.forget(key);
  }

  async #look(stale: TrackedWorkload): Promise<LookResult> {
    const { workloads, settle, sources, writers } = this.#options;
    const settlingMs = settle.remainingMs(stale.key, settleTimesOf(stale.record.settings, this.#options.defaults));
    if (settlingMs > 0) return { kind: 'again', afterMs: settlingMs };
    if (!this.#options.term()) {
      // A standby looks at every workload when its term begins. Until then, windows must not pile up.
      this.#close(stale.key);
      // Contents are read anyway, so that this process can compare them when it leads, however long ago the change was.
      return await this.#read(stale, candidates({ workload: stale, sources }), { kind: 'done' });
    }
    await this.#refreshRefused(stale);
    const workload = workloads.get(stale.key);
    const term = this.#options.term();
    // Checked again after the wait: the lease and the workload may be gone.
    if (!workload || !term) return { kind: 'done' };
    await this.#takeBackUnmarked(workload);
    const standing = workload.record.kind === 'Job' ? writers.journal.standing(workload.record) : 'free';
    if (standing === 'under-way') return { kind: 'done', waitsFor: 'job' };
    // The failed attempt is not over: an entry that it may have stored is looked for and removed first.
    if (standing === 'in-doubt') return { kind: 'failed' };
    if (standing === 'busy') return { kind: 'again', afterMs: busyJobMs, waitsFor: 'earlier-job' };
    try {
      return await this.#act(workload, term);
    } catch (error) {
      if (mayBeStale(error)) this.#refusedVersions.set(workload.key, workload.record.resourceVersion);
      throw error;
    }
  }

  /** A failed restart must not keep the workload paused, and a pause must not prevent its restart. */
  async #act(workload: TrackedWorkload, term: Term): Promise<LookResult> {
    const { settings, writers } = this.#options;
    const { pauses } = writers;
    let result: LookResult = { kind: 'done' };
    try {
      // The workload may be tracked only because of its pause.
      if (optedIn(workload.record.policy, settings.policy)) {
        result = await this.#execute(workload, this.#plan(workload, term));
      }
    } catch (error) {
      if (!mayBeStale(error)) await pauses.reconcile(workload.key);
      throw error;
    }
    const paused = await pauses.reconcile(workload.key);
    return sooner(result, paused.kind === 'again' ? { ...paused, waitsFor: 'pause' } : paused);
  }

  #plan(workload: TrackedWorkload, term: Term): Plan {
    return plan(planInput(this.#options, workload, term));
  }

  async #execute(workload: TrackedWorkload, planned: Plan): Promise<LookResult> {
    const { reporter, settings } = this.#options;
    reporter.tooManyKeys(workload, planned.verdicts);
    switch (planned.action) {
      case 'read': {
        const missing = planned.verdicts.filter((verdict) => verdict.needsContent);
        return await this.#read(workload, missing, { kind: 'again', afterMs: 0 }, settings.reloadOnCreate);
      }
      case 'none':
        this.#reportInjected(workload);
        reporter.leftAlone(workload, this.#close(workload.key).sources, planned.verdicts);
        return { kind: 'done' };
      case 'adopt':
        return await this.#adopt(workload, planned.baseline, planned.verdicts);
      case 'restart':
        return await this.#answer(
          workload,
          planned.baseline,
          attributed(this.#options.hints, workload, planned.changes),
        );
    }
  }

  /** Loads missing contents and, if `ordered`, asks whether the order of writes can be known. A failure is retried. */
  async #read(
    workload: TrackedWorkload,
    used: readonly LocalSourceRef[],
    then: LookResult,
    ordered = false,
  ): Promise<LookResult> {
    const { contents, reporter, versions } = this.#options;
    const { kind, namespace } = workload.record;
    try {
      await contents.read(namespace, used);
      const sourceKinds = new Set(ordered ? used.map((source) => source.kind) : []);
      for (const sourceKind of sourceKinds) await versions.ask(kind, namespace, sourceKind);
      return then;
    } catch (error) {
      reporter.notRead(workload, error);
      return { ...failedAttempt(error), error };
    }
  }

  async #adopt(workload: TrackedWorkload, baseline: Baseline, verdicts: readonly Verdict[]): Promise<LookResult> {
    const { adoptions, removals, reporter } = this.#options;
    const waitMs = adoptions.take(workload.key, workload.baselineLost);
    if (waitMs > 0) return { kind: 'again', afterMs: waitMs, waitsFor: 'baseline-turn' };
    if (workload.baselineLost) {
      // A restore of etcd looks the same, but it has also undone the restart: what was recorded with it is owed again.
      await this.#options.checkRestored();
      if (this.#options.workloads.get(workload.key) !== workload) return { kind: 'again', afterMs: 0 };
    }
    const { sources } = this.#close(workload.key);
    const stored = await this.#record(workload, baseline);
    reporter.leftAlone(workload, sources, verdicts);
    reporter.adopted(workload, { stored });
    if (stored && workload.baselineLost) await removals.putBack(workload);
    return stored ? { kind: 'done' } : unwritten;
  }

  /**
   * Writes only the baseline, to `version` of the workload. False: it is kept in memory, because a permission is
   * missing or somebody removes it on its way.
   */
  async #record(
    workload: TrackedWorkload,
    baseline: Baseline,
    version = workload,
    others: Readonly<Record<string, null>> = {},
  ): Promise<boolean> {
    const { context, writers, workloads } = this.#options;
    const annotations = { ...others, [ownAnnotations.baseline]: baselineText(workload, baseline) };
    const stored = await writers.annotate(context, version, annotations);
    // If an admission webhook removes the annotation, nothing is stored and no watch event follows.
    const isStored = stored !== undefined && stored.resourceVersion !== version.record.resourceVersion;
    if (!isStored) {
      workloads.remember(workload, baseline);
      return false;
    }
    // Had an unanswered restart been stored, this write would have failed. So the record is not one of a restart.
    this.#unanswered.forget(workload.key);
    workloads.wrote(workload, stored, baseline);
    return true;
  }

  /** Restarts the workload, unless somebody else's rollout had the same effect. */
  async #answer(workload: TrackedWorkload, baseline: Baseline, owed: readonly Change[]): Promise<LookResult> {
    const { coalescer, hints, reporter, settle, workloads } = this.#options;
    const { key } = workload;
    const decision = await coalescer.look(workload, owed);
    // The look sends requests. Meanwhile the workload may have changed, or its namespace may no longer be selected.
    if (workloads.get(key) !== workload) return { kind: 'again', afterMs: 0 };
    // The author may also have become known meanwhile, or been evicted by newer ones.
    const changes = attributed(hints, workload, owed);
    if (decision.kind === 'wait') return { kind: 'again', afterMs: decision.afterMs, waitsFor: 'rollout' };
    if (decision.kind === 'restart') return await this.#restart(workload, baseline, changes);
    settle.close(key);
    const stored = await coalescer.answering(
      key,
      async () => await this.#record(workload, baseline, decision.workload),
    );
    reporter.answered(changes);
    reporter.coalesced(
      workload,
      changes,
      'folded into the rollout of its new template, which was stored after the change',
    );
    return stored ? { kind: 'done' } : unwritten;
  }

  async #restart(workload: TrackedWorkload, baseline: Baseline, changes: readonly Change[]): Promise<LookResult> {
    const { writers, context, workloads, reporter, settle, coalescer } = this.#options;
    const { record } = workload;
    const pause = writers.pauses.pauseFor(workload, this.#options.clock.nowMs());
    const described = this.#describe(workload, baseline, changes, pause);
    const restart = { ...described, asksFirst: this.#lostMarkers.has(workload.key) };
    this.#options.injected.forget(workload.key);
    // Closed before the write, so that a change during the write opens a new window.
    const { firstMs } = settle.close(workload.key);
    try {
      const apply = writers.methods[workloadKind(record.kind).apply];
      const applied = await coalescer.answering(workload.key, async () => await apply(context, restart));
      if (applied.kind === 'withheld') {
        workloads.remember(workload, baseline);
        reporter.withheld(workload, restart);
        return { kind: 'done' };
      }
      this.#lostMarkers.delete(workload.key);
      this.#unanswered.forget(workload.key);
      reporter.answered(changes);
      if (applied.kind === 'under-way') return { kind: 'done', waitsFor: 'job' };
      if (applied.stored) workloads.wrote(workload, applied.stored, baseline, pause?.pause);
      else workloads.remember(workload, baseline);
      reporter.restarted(workload, restart, { did: applied.did, changedMs: firstMs });
      return applied.stored ? { kind: 'done' } : unwritten;
    } catch (error) {
      reporter.notRestarted(workload, error);
      reporter.refused(restart, error);
      if (error instanceof MarkerLostError) await this.#takeBack(workload, restart, error.resourceVersion);
      else this.#unanswered.failed(restart, error);
      throw error;
    }
  }

  #describe(workload: TrackedWorkload, baseline: Baseline, changes: readonly Change[], pause?: PauseBegun): Restart {
    const { clock, defaults, random, reporter } = this.#options;
    try {
      return describeRestart(this.#options, workload, baseline, changes, pause);
    } catch (error) {
      const strategy = workload.record.settings.strategy ?? defaults.strategy;
      reporter.refused({ id: randomHex(random, 8), atMs: clock.nowMs(), workload, changes, strategy }, error);
      throw error;
    }
  }

  /**
   * Takes back a restart that got no answer and was stored without its marker. Throws a MarkerLostError, and what the
   * read throws.
   */
  async #takeBackUnmarked(workload: TrackedWorkload): Promise<void> {
    const restarts = this.#unanswered.takeRecorded(workload);
    if (restarts.length === 0) return;
    const { context, reporter } = this.#options;
    const { kind, namespace, name, resourceVersion } = workload.record;
    let object: KubeObject;
    try {
      object = await getObject(context.client, workloadKind(kind).resource, namespace, name);
    } catch (error) {
      restarts.forEach((each) => this.#unanswered.failed(each, undefined));
      throw error;
    }
    const lost = lostRestart(restarts, object);
    if (!lost) {
      const made = restarts.find(({ id }) => id === workload.record.lastRestart?.id);
      if (!made) return;
      // Nobody was told of it when it was written.
      reporter.answered(made.changes);
      reporter.restarted(workload, made, { did: 'restarted', changedMs: undefined });
      return;
    }
    const { restart } = lost;
    const error = new MarkerLostError(workload, lost.missing, resourceVersion);
    reporter.notRestarted(workload, error);
    await this.#takeBack({ ...workload, baseline: restart.workload.baseline }, restart, resourceVersion);
    throw error;
  }

  /** Reverts the stored baseline: the pods are unchanged, so the restart is still owed. */
  async #takeBack(
    workload: TrackedWorkload,
    { baseline, changes }: Restart,
    stored: string | undefined,
  ): Promise<void> {
    this.#lostMarkers.add(workload.key);
    if (stored === undefined) return;
    const owed = revertedBaseline(
      baseline,
      workload.baseline,
      changes.map(({ id }) => id),
    );
    const version = { ...workload, record: { ...workload.record, resourceVersion: stored } };
    const others = { [ownAnnotations.lastRestart]: null };
    const isStored = await this.#record(workload, owed, version, others).catch(() => false);
    // The reverted baseline in memory is newer than the stored one, so it counts. The next look writes it.
    if (!isStored) this.#options.workloads.takeBack(workload, owed);
  }

  /** Somebody else's write brought the restart with it. */
  #reportInjected(workload: TrackedWorkload): void {
    const { injected, reporter } = this.#options;
    const changes = injected.take(workload);
    if (!changes) return;
    reporter.answered(changes);
    reporter.brought(workload, changes);
  }

  /** The changes are answered or do not concern the workload. */
  #close(key: WorkloadKey): Settled {
    this.#options.coalescer.forget(key);
    this.#options.injected.forget(key);
    return this.#options.settle.close(key);
  }

  /** After a conflict the watch usually shows the newer version. If it did not, the object is read by name. */
  async #refreshRefused({ key, record }: TrackedWorkload): Promise<void> {
    const refused = this.#refusedVersions.get(key);
    if (refused === undefined) return;
    const { workloads, context, refresh } = this.#options;
    if (refused === record.resourceVersion) {
      const { resource } = workloadKind(record.kind);
      const object = await getObject(context.client, resource, record.namespace, record.name);
      // The workload may be gone from the index, for example because its namespace is no longer selected.
      if (workloads.get(key)) refresh(context.read(record.kind, object));
    }
    this.#refusedVersions.delete(key);
  }

  #failed(workload: TrackedWorkload, error: unknown, startedMs: number): LookResult {
    const { reporter } = this.#options;
    if (error instanceof NotLeadingError) return { kind: 'done' };
    reporter.failed(workload, error, startedMs);
    return { ...failedAttempt(error), error };
  }
}

/** Whether the planned version may be outdated. 404 counts, too: only the watch reports that a workload is deleted. */
function mayBeStale(error: unknown): boolean {
  return error instanceof ConflictError || error instanceof StaleWorkloadError || error instanceof NotFoundError;
}
