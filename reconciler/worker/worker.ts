import type { Baseline } from '../../shared/domain/baseline/baseline';
import { optedIn } from '../../shared/domain/policy/policy';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import { progressOnceRestarted } from '../../shared/domain/workloads/rollout-progress';
import { isStartingPods } from '../../shared/domain/workloads/rollout-status';
import type { StrategyName } from '../../shared/domain/workloads/workload-settings';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import type { Clock } from '../../shared/runtime/clock';
import { randomHex, type Random } from '../../shared/runtime/random';
import { isForPerson } from '../reporting/errors-for-people';
import { mayBeStored } from '../apply/may-be-stored';
import { mayBeStale } from '../apply/read-again';
import { NotLeadingError, type ApplyContext, type Restart } from '../apply/restart';
import { BaselineWrites, unwritten, type BaselineWritesOptions } from './baseline-writes';
import type { Change } from '../../shared/domain/plan/change';
import type { Hints } from '../hints/hints';
import { attributed, describeRestart } from './describe-restart';
import type { ComparableVersions } from '../workloads/comparable-versions';
import { failedAttempt, sooner } from '../queue/key-queue';
import type { RestartTurns } from '../gates/restart-turns';
import { DeferredRestarts, type DeferredRestartsOptions } from './deferred-restarts';
import type { ClosedGate } from '../../shared/domain/gates/gate';
import type { InjectedRestarts } from './injected-restarts';
import type { Term } from '../../shared/domain/plan/plan-input';
import type { Verdict } from '../../shared/domain/plan/verdict';
import { candidates } from '../../shared/domain/plan/candidates';
import { plan, type Plan } from '../../shared/domain/plan/plan';
import type { PauseBegun } from './pauses';
import { jobWait } from './job-wait';
import { planInput, type PlanView } from './plan-view';
import { urgently, type Deferrals } from '../reporting/deferrals';
import { RefusedVersions, type RefusedVersionsOptions } from './refused-versions';
import type { RolloutCoalescer } from './rollout-coalescer';
import { settledAtMs, settleTimesOf, type Settled, type SettleTimes, type SettleWindows } from './settle-window';
import type { LocalSourceRef } from '../../shared/domain/sources/source';
import type { ContentLoader } from '../reading/content-loader';
import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import type { Waited } from '../tracing/waited';
import type { LookResult, UnfinishedLooks } from './unfinished-looks';
import type { WorkerReporter } from './worker-reporter';
import type { Writers } from './writers';

export interface WorkerOptions
  extends
    PlanView,
    Pick<BaselineWritesOptions, 'adoptions' | 'removals' | 'checkRestored'>,
    Pick<RefusedVersionsOptions, 'refresh' | 'onRestored'>,
    Pick<DeferredRestartsOptions, 'gates' | 'defaults'> {
  readonly contents: Pick<ContentLoader, 'read'>;
  readonly versions: Pick<ComparableVersions, 'known' | 'ask'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly reporter: WorkerReporter;
  readonly deferrals: Deferrals;
  readonly settle: SettleWindows;
  readonly coalescer: RolloutCoalescer;
  readonly turns: Pick<RestartTurns, 'ask' | 'began' | 'ended' | 'answered' | 'gone'>;
  readonly injected: InjectedRestarts;
  /** For people who ask and for traces, never a reason to act. */
  readonly unfinished: Pick<UnfinishedLooks, 'get' | 'note' | 'forget'>;
  readonly hints: Pick<Hints, 'attribution'>;
  readonly writers: Writers;
  /** Whether the workload is being read because its record may lack what decides about it. */
  readonly isOutdated: (record: WorkloadRecord) => boolean;
  readonly context: ApplyContext;
  readonly defaults: SettleTimes & { readonly strategy: StrategyName };
}

type PlannedRestart = Extract<Plan, { readonly action: 'restart' }>;

/** The workload is being read by name. The queue of these reads repeats those that fail. */
const outdated: LookResult = { kind: 'again', afterMs: 1_000, waitsFor: 'retry' };

/** Processes one workload at a time: plan, then apply. What it does not finish stays in the queue. */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #refusedVersions: RefusedVersions;
  readonly #writes: BaselineWrites;
  readonly #deferred: DeferredRestarts;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#refusedVersions = new RefusedVersions(options);
    this.#writes = new BaselineWrites(options);
    this.#deferred = new DeferredRestarts(options, this.#writes);
  }

  /** Never rejects: a failure is part of the result. */
  async process(key: WorkloadKey): Promise<LookResult> {
    const { turns, unfinished, workloads } = this.#options;
    const workload = workloads.get(key);
    if (!workload) {
      this.#options.coalescer.forget(key);
      return { kind: 'done' };
    }
    const result = await this.#looked(workload);
    turns.ended(key, result.closed?.gate, isForPerson(result.error));
    // Deleted during the look: then it waits for nothing. If the term has ended meanwhile, it waits for another leader.
    if (workloads.get(key)) unfinished.note(workload, this.#options.term() ? result : { kind: 'done' });
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
    this.#refusedVersions.forget(key);
    this.#writes.forget(key);
    this.#close(key);
    this.#options.reporter.forget(key);
    this.#options.unfinished.forget(key);
    this.#options.turns.gone(key);
  }

  /** Whether pods start while a restart waits that is owed or may be: what they read may be changed back before it. */
  mayBeInDoubt(workload: TrackedWorkload): boolean {
    return this.#deferred.mayBeInDoubt(workload);
  }

  async #look(stale: TrackedWorkload): Promise<LookResult> {
    const { workloads, settle, sources, writers } = this.#options;
    const settlingMs = settle.remainingMs(stale.key, settleTimesOf(stale.record.settings, this.#options.defaults));
    // The pause of an earlier restart ends meanwhile, and pods that start are recorded.
    const isPaused = stale.record.pause?.since !== undefined;
    const acts = this.#options.term() !== undefined && (isPaused || this.mayBeInDoubt(stale));
    if (settlingMs > 0 && !acts) return { kind: 'again', afterMs: settlingMs };
    if (!this.#options.term()) {
      // A standby looks at every workload when its term begins. Until then, windows must not pile up.
      this.#close(stale.key);
      // Contents are read anyway, so that this process can compare them when it leads, however long ago the change was.
      return await this.#read(stale, candidates({ workload: stale, sources }), { kind: 'done' });
    }
    await this.#refusedVersions.catchUp(stale);
    const workload = workloads.get(stale.key);
    const term = this.#options.term();
    // Checked again after the wait: the lease and the workload may be gone.
    if (!workload || !term) return { kind: 'done' };
    if (this.#options.isOutdated(workload.record)) return outdated;
    const unresolved = await this.#writes.resolveUnanswered(workload);
    if (unresolved) return unresolved;
    const wait = jobWait(writers.journal, workload.record);
    if (wait) return wait;
    try {
      return await this.#act(workload, term, settlingMs);
    } catch (error) {
      if (mayBeStale(error)) this.#refusedVersions.note(workload);
      throw error;
    }
  }

  /** A failed restart must not keep the workload paused, and a pause must not prevent its restart. */
  async #act(workload: TrackedWorkload, term: Term, settlingMs: number): Promise<LookResult> {
    const { settings, writers } = this.#options;
    const { pauses } = writers;
    let result: LookResult = { kind: 'done' };
    try {
      if (settlingMs > 0) result = await this.#settling(workload, term, { kind: 'again', afterMs: settlingMs });
      // The workload may be tracked only because of its pause.
      else if (optedIn(workload.record.policy, settings.policy)) {
        result = await this.#execute(workload, plan(planInput(this.#options, workload, term)));
      } else this.#close(workload.key);
    } catch (error) {
      if (!mayBeStale(error)) await pauses.reconcile(workload.key);
      throw error;
    }
    const paused = await pauses.reconcile(workload.key);
    const next = sooner(result, paused.kind === 'again' ? { ...paused, waitsFor: 'pause' } : paused);
    // Whatever has it looked at again, it is the gate that keeps the restart from beginning.
    return result.closed ? { ...next, closed: result.closed } : next;
  }

  /** Its sources have not been quiet for long enough. Pods that start now read them as they are, and that is recorded. */
  async #settling(workload: TrackedWorkload, term: Term, then: LookResult): Promise<LookResult> {
    if (!this.mayBeInDoubt(workload) || !optedIn(workload.record.policy, this.#options.settings.policy)) return then;
    const planned = plan(planInput(this.#options, workload, term));
    if (planned.action === 'read') return await this.#execute(workload, planned);
    if (planned.action !== 'restart') return then;
    const unrecorded = await this.#deferred.recordOwing(workload, planned.owing);
    return unrecorded ? sooner(then, unrecorded) : then;
  }

  async #execute(workload: TrackedWorkload, planned: Plan): Promise<LookResult> {
    const { reporter, settings } = this.#options;
    // Before a source is read, it is not known how many keys it has.
    if (planned.action !== 'read') reporter.tooManyKeys(workload, planned.verdicts);
    this.#reportInjected(workload);
    switch (planned.action) {
      case 'read': {
        const missing = planned.verdicts.filter((verdict) => verdict.needsContent);
        return await this.#read(workload, missing, { kind: 'again', afterMs: 0 }, settings.reloadOnCreate);
      }
      case 'none':
        reporter.leftAlone(workload, this.#close(workload.key).noticedMs, planned.verdicts);
        return { kind: 'done' };
      case 'adopt':
        return await this.#adopt(workload, planned.baseline, planned.verdicts);
      case 'restart':
        return await this.#answer(workload, planned);
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
    const { reporter } = this.#options;
    const wait = await this.#writes.turn(workload);
    if (wait) return wait;
    const { noticedMs } = this.#close(workload.key);
    const stored = await this.#writes.adopt(workload, baseline);
    reporter.leftAlone(workload, noticedMs, verdicts);
    reporter.adopted(workload, { stored });
    return stored ? { kind: 'done' } : unwritten;
  }

  /** Restarts the workload once it may, unless somebody else's rollout had the same effect. */
  async #answer(workload: TrackedWorkload, planned: PlannedRestart): Promise<LookResult> {
    const { clock, coalescer, deferrals, hints, reporter, settle, workloads } = this.#options;
    const { key } = workload;
    const { baseline, owing } = planned;
    const owed = deferrals.withAuthors(key, attributed(hints, workload, planned.changes));
    // Before anything is asked of the API server: what is held may be held for weeks.
    const before = this.#deferred.askGates(workload, owed);
    if (!before.isOpen) return await this.#deferred.defer(workload, owed, before.closed, owing);
    const plannedMs = clock.monotonicMs();
    const decision = await coalescer.look(workload, owed);
    // The look sends requests. Meanwhile the workload may have changed, or its namespace may no longer be selected.
    if (workloads.get(key) !== workload) return { kind: 'again', afterMs: 0 };
    // The author may also have become known meanwhile, or been evicted by newer ones.
    const changes = attributed(hints, workload, owed);
    if (decision.kind === 'wait') {
      const wait: LookResult = { kind: 'again', afterMs: decision.afterMs, waitsFor: 'rollout' };
      const doubted = isStartingPods(workload.record) ? owing : undefined;
      const unrecorded = await this.#deferred.recordOwing(workload, doubted);
      return unrecorded ? sooner(wait, unrecorded) : wait;
    }
    if (decision.kind === 'restart') {
      // The look may have taken seconds. A window may have closed, or what comes before this one has begun meanwhile.
      const now = this.#deferred.askGates(workload, changes);
      if (!now.isOpen) return await this.#deferred.defer(workload, changes, now.closed, owing);
      return await this.#restart(workload, baseline, changes, { passed: now.passed, plannedMs });
    }
    const waited = this.#waited(workload, settle.close(key, plannedMs));
    const stored = await coalescer.answering(
      key,
      async () => await this.#writes.record(workload, baseline, decision.workload),
    );
    reporter.answered(this.#answered(workload, changes));
    reporter.coalesced(
      workload,
      changes,
      'coalesced with the rollout of its new template, which was stored after the change',
      waited,
    );
    return stored ? { kind: 'done' } : unwritten;
  }

  async #restart(
    workload: TrackedWorkload,
    baseline: Baseline,
    changes: readonly Change[],
    { passed, plannedMs }: { readonly passed: readonly ClosedGate[]; readonly plannedMs: number },
  ): Promise<LookResult> {
    const { writers, context, workloads, reporter, settle, coalescer, turns } = this.#options;
    const { record } = workload;
    const pause = writers.pauses.pauseFor(workload, this.#options.clock.nowMs());
    const described = this.#describe(workload, baseline, changes, pause);
    const restart = { ...described, asksFirst: this.#writes.hasLostMarker(workload.key), passed };
    this.#options.injected.forget(workload.key);
    // Closed before the write, so that a change during the write opens a new window.
    const settled = settle.close(workload.key, plannedMs);
    const waited = this.#waited(workload, settled);
    const { atMs, id, changeIds, earlierChangeIds } = restart;
    const lastRestart = { atMs, id, changeIds, earlierChangeIds };
    const takeBack = turns.began(workload, lastRestart);
    const { timesForgotten } = workloads;
    try {
      const apply = writers.methods[workloadKind(record.kind).apply];
      const applied = await coalescer.answering(workload.key, async () => await apply(context, restart));
      const countable = this.#answered(workload, changes);
      if (applied.kind === 'withheld') {
        takeBack();
        workloads.remember(workload, baseline);
        reporter.withheld(workload, restart, waited);
        return { kind: 'done' };
      }
      this.#writes.restarted(workload.key);
      reporter.answered(countable);
      if (applied.kind === 'under-way') {
        reporter.underWay(workload, { changes, waited });
        return { kind: 'done', waitsFor: 'job' };
      }
      const progress = progressOnceRestarted(record.progress, pause !== undefined);
      const wrote = { lastRestart, progress, ...(pause && { pause: pause.pause }) };
      // A restore of etcd may have undone it meanwhile. A list shows whether it has, and then the restart is owed again.
      const mayBeUndone = workloads.timesForgotten !== timesForgotten;
      if (applied.stored && !mayBeUndone) workloads.wrote(workload, applied.stored, baseline, wrote);
      else if (!applied.stored && !mayBeUndone) workloads.remember(workload, baseline);
      reporter.restarted(workload, restart, {
        did: applied.did + urgently(passed),
        changedMs: settled.firstMs,
        waited,
      });
      if (mayBeUndone) return { kind: 'again', afterMs: 0 };
      return applied.stored && !applied.stored.lacksBaseline ? { kind: 'done' } : unwritten;
    } catch (error) {
      if (!mayBeStored(error)) takeBack();
      reporter.notRestarted(workload, error, { changes, waited });
      reporter.refused(restart, error, waited);
      await this.#writes.failed(restart, error, timesForgotten);
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

  /** Tells of a restart that somebody else's write brought with it, also if there is more to do by now. */
  #reportInjected(workload: TrackedWorkload): void {
    const { injected, reporter } = this.#options;
    const changes = injected.take(workload);
    if (!changes) return;
    reporter.answered(changes);
    reporter.brought(workload, changes);
  }

  #waited({ key, record }: TrackedWorkload, settled: Settled): Waited {
    const { defaults, unfinished } = this.#options;
    const settledMs = settledAtMs(settled, settleTimesOf(record.settings, defaults));
    return { noticedMs: settled.noticedMs, settledMs, look: unfinished.get(key) };
  }

  /** These changes are answered; returns those that count. */
  #answered(workload: TrackedWorkload, changes: readonly Change[]): readonly Change[] {
    const { deferrals, turns } = this.#options;
    const countable = deferrals.countable(workload, changes);
    deferrals.forget(workload.key);
    turns.answered(workload.key);
    return countable;
  }

  /** The changes are answered or do not concern the workload. */
  #close(key: WorkloadKey): Settled {
    this.#options.coalescer.forget(key);
    this.#options.injected.forget(key);
    this.#options.deferrals.forget(key);
    this.#options.turns.answered(key);
    return this.#options.settle.close(key);
  }

  #failed(workload: TrackedWorkload, error: unknown, startedMs: number): LookResult {
    const { reporter } = this.#options;
    if (error instanceof NotLeadingError) return { kind: 'done' };
    reporter.failed(workload, error, startedMs);
    return { ...failedAttempt(error), error };
  }
}
