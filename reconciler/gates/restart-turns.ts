import { gateAnnotations } from '../../shared/domain/annotations/annotations';
import type { GateName } from '../../shared/domain/gate-settings/gate-names';
import type { PaceSettings } from '../../shared/domain/gate-settings/pace-settings';
import type { ClosedGate } from '../../shared/domain/gates/gate';
import { maxRollingGate, type LimitInUse, type Rolling } from '../../shared/domain/gates/max-rolling-gate';
import { restartRateGate } from '../../shared/domain/gates/restart-rate-gate';
import { candidateOf } from '../../shared/domain/plan/candidates';
import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import type { SourceStages } from '../../shared/domain/protocol/source-inspection';
import type { LocalSourceRef, SourceRef } from '../../shared/domain/sources/source';
import type { LastRestart } from '../../shared/domain/workloads/last-restart';
import { rollsOut } from '../../shared/domain/workloads/rollout-progress';
import type { Clock, Timer } from '../../shared/runtime/clock';
import type { SourceIndex } from '../sources/source-index';
import type { WorkloadIndex } from '../workloads/workload-index';
import type { NamespaceGates } from './namespace-gates';
import type { RestartOrder } from './restart-order';
import type { RestartStages } from './restart-stages';
import { RestartStarts, sharedPeriods } from './restart-starts';
import type { ReturningJob, ReturningJobs } from './returning-jobs';
import type { RollingWorkloads } from './rolling-workloads';
import type { StoppedSource } from './stopped-source';
import { WaitingLine, type NamespaceShares, type Turn, type WaitingRestart } from './waiting-line';

export interface RestartTurnsOptions {
  readonly clock: Clock;
  readonly pace: PaceSettings;
  readonly workloads: Pick<WorkloadIndex, 'get' | 'tracked'>;
  readonly sources: Pick<SourceIndex, 'get' | 'limitingIn'>;
  readonly namespaces: Pick<NamespaceGates, 'of'>;
  readonly rolling: RollingWorkloads;
  readonly order: RestartOrder;
  readonly stages: RestartStages;
  readonly returning: ReturningJobs;
  /** It is the turn of this workload: look at it. */
  readonly onTurn: (key: WorkloadKey) => void;
}

interface ScopedLimit extends LimitInUse {
  /** Differs from that of any other limit. */
  readonly id: string;
  /** Who else is concerned if it is full. */
  readonly scope: Exclude<Turn, 'goes'>;
}

interface Closed {
  readonly gate: ClosedGate;
  readonly scope: Exclude<Turn, 'goes'>;
  /** The limit in pods that has no room for it. */
  readonly lacksPods?: string;
}

/** Nothing is expected to be missed. If it is, it is found out then. */
const recheckMs = 60_000;

/**
 * When the restarts begin that may begin: in their order, and no more at once than the limits allow. A workload that has
 * to wait is woken when it is its turn, and holds its place until that look is over. One timer serves all that wait.
 */
export class RestartTurns {
  readonly #options: RestartTurnsOptions;
  readonly #line = new WaitingLine();
  readonly #starts: RestartStarts;
  /** Something became free since the line was last looked at. */
  #isFreed = false;
  #timer: Timer | undefined;
  #timerDueMs = Infinity;
  #recheckedMs = -Infinity;

  constructor(options: RestartTurnsOptions) {
    this.#options = options;
    this.#starts = new RestartStarts(options.pace.rate?.perMs ?? 0);
  }

  /**
   * How many sources have stopped, because who restarted first is not healthy, or a content that was rolled back has been
   * written again.
   */
  get stoppedSources(): number {
    return this.#options.stages.stopped;
  }

  /** How many restarts roll out now. */
  get rolling(): Rolling {
    return this.#options.rolling.inCluster;
  }

  /** What the users of a source wait for that do not restart first; undefined: none waits. */
  stagesOf(source: SourceRef): SourceStages | undefined {
    return this.#options.stages.of(source);
  }

  /** Who keeps the other users of a source from restarting; undefined: nobody does. */
  stoppedBy(source: SourceRef): StoppedSource | undefined {
    return this.#options.stages.stoppedBy(source);
  }

  /** Whether those that restarted first have yet to prove the content of a source. Until then, their health checks are run. */
  isJudging(source: SourceRef): boolean {
    const isJudging = this.#options.stages.isJudging(source);
    if (isJudging) this.#arm();
    return isJudging;
  }

  /** A term begins. */
  begin(): void {
    this.end();
    const { rolling, workloads, clock } = this.#options;
    rolling.begin(workloads.tracked());
    this.#starts.begin(workloads.tracked(), clock.nowMs());
    this.#recheckedMs = clock.monotonicMs();
  }

  end(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerDueMs = Infinity;
    this.#line.clear();
    this.#options.order.clear();
    this.#options.stages.clear();
    this.#options.returning.clear();
    this.#options.rolling.end();
  }

  /**
   * Whether the workload may restart for these changes now. If so, it holds a place until its look {@link ended}. If
   * not, it is looked at again when it may.
   */
  ask(workload: TrackedWorkload, changes: readonly LocalSourceRef[]): ClosedGate | undefined {
    const { order, stages, rolling } = this.#options;
    const { key } = workload;
    const before = order.ask(workload, changes) ?? stages.ask(workload, changes);
    if (before) {
      this.#arm();
      return before;
    }
    if (rolling.holdsPlace(key)) return undefined;
    const nowMs = this.#options.clock.nowMs();
    if (this.#isFreed) this.#serve(nowMs);
    // That may have been its own turn.
    if (rolling.holdsPlace(key)) return undefined;
    const restart = this.#restart(workload, changes);
    const closed = this.#closed(restart, nowMs);
    if (!closed) {
      rolling.take(workload);
      return undefined;
    }
    this.#line.add(restart);
    if (closed.lacksPods !== undefined) this.#line.block(closed.lacksPods, restart, this.#shares);
    this.#arm(nowMs);
    return closed.gate;
  }

  /** What a workload that waits for its turn waits for now: that changes without a look at it. */
  told(key: WorkloadKey): ClosedGate | undefined {
    const waiting = this.#line.get(key);
    if (waiting) return this.#closed(waiting, this.#options.clock.nowMs())?.gate;
    return this.#options.order.told(key) ?? this.#options.stages.told(key);
  }

  /**
   * The look at a workload is over. `waits`: what keeps its restart from beginning; `isRefused`: the API server does not
   * take it.
   */
  ended(key: WorkloadKey, waits: GateName | undefined, isRefused = false): void {
    const { order, stages, rolling } = this.#options;
    if (waits !== 'pace' && this.#line.delete(key)) this.freed();
    if (waits !== 'order') order.leave(key);
    rolling.giveBack(key);
    order.changed(key);
    stages.ended(key, waits, isRefused);
    if (stages.isWaiting) this.#arm();
  }

  /** The write of a restart is about to be sent. Call what is returned if it is not stored, or rolls nothing. */
  began(workload: TrackedWorkload, restart: LastRestart): () => void {
    const { rolling, workloads } = this.#options;
    const takeBack = rolling.began(workload, restart);
    this.#starts.add(restart, workload.record.namespace);
    return () => {
      this.#starts.remove(restart);
      takeBack();
      // What the watch has shown of the restart before, while this one was under way, seemed to be out of date.
      const shown = workloads.get(workload.key);
      if (shown) rolling.saw(shown);
      this.freed();
    };
  }

  /** Nothing is owed to the workload any more, or it was restarted. */
  answered(key: WorkloadKey): void {
    this.#options.order.forget(key);
    this.#options.stages.forget(key);
  }

  /** The index shows the workload. */
  saw(workload: TrackedWorkload): void {
    this.#options.returning.saw(workload);
    this.#options.rolling.saw(workload);
    this.#starts.saw(workload);
    this.#options.order.changed(workload.key);
    this.#options.stages.changed(workload.key);
    if (this.#options.stages.isWaiting) this.#arm();
  }

  /** The health checks of the workload say something else than before. */
  checked(key: WorkloadKey): void {
    this.#options.stages.changed(key);
    if (this.#options.stages.isWaiting) this.#arm();
  }

  gone(key: WorkloadKey): void {
    const { order, stages, rolling } = this.#options;
    if (this.#line.delete(key)) this.freed();
    rolling.gone(key);
    order.forget(key);
    order.changed(key);
    stages.forget(key);
    stages.changed(key);
    if (stages.isWaiting) this.#arm();
  }

  /** A Job is deleted, and will be created again. */
  returns(job: ReturningJob): void {
    this.#options.returning.add(job);
  }

  /** Whether the Job of a journal entry counts as one to come: the index has yet to show it. */
  isReturning(entry: string): boolean {
    return this.#options.returning.has(entry);
  }

  /** A journal entry ended, and its Job does not come. */
  returnsNot(entry: string): void {
    const key = this.#options.returning.ended(entry);
    if (key !== undefined && !this.#options.workloads.get(key)) this.gone(key);
  }

  /** More may roll than before: something is rolled out, or a limit is another one. */
  freed(): void {
    this.#isFreed = true;
    if (this.#line.size > 0) this.#armIn(0);
  }

  /** Wakes those that may go now, in their order. */
  #serve(nowMs: number): void {
    const { rolling, onTurn } = this.#options;
    rolling.expire();
    this.#starts.expire(nowMs);
    // What has just expired is served with the rest.
    this.#isFreed = false;
    this.#line.take(this.#shares, (restart) => {
      const closed = this.#closed(restart, nowMs);
      if (closed?.lacksPods !== undefined) this.#line.block(closed.lacksPods, restart, this.#shares);
      if (closed) return closed.scope;
      rolling.take(restart.workload);
      onTurn(restart.workload.key);
      return 'goes';
    });
  }

  readonly #shares: NamespaceShares = {
    of: (namespace) => this.#options.rolling.inNamespace(namespace).workloads + this.#usedOfRate(namespace),
    // Else a tenant whose urgent source changes all the time would keep the restarts of all others waiting for ever.
    mayBeUrgent: (namespace) => this.#usedOfRate(namespace) < this.#halfOfRate,
  };

  /** Half of the restarts that may begin while those of a namespace count in its share. */
  get #halfOfRate(): number {
    return ((this.#options.pace.rate?.count ?? Infinity) * sharedPeriods) / 2;
  }

  /** How many restarts of a namespace began in the last {@link sharedPeriods}, or are about to; 0 without a rate. */
  #usedOfRate(namespace: string): number {
    const { pace, rolling } = this.#options;
    return pace.rate ? this.#starts.inNamespace(namespace) + rolling.placesIn(namespace) : 0;
  }

  #onTimer(): void {
    const { clock, order, stages } = this.#options;
    stages.expire();
    if (clock.monotonicMs() - this.#recheckedMs >= recheckMs) {
      this.#recheckedMs = clock.monotonicMs();
      order.recheck();
      stages.recheck();
    }
    const nowMs = clock.nowMs();
    this.#serve(nowMs);
    this.#arm(nowMs);
  }

  /**
   * One timer: for what becomes free by itself, and to find out what was missed. `nowMs` is when the line was asked: if
   * the rate was asked about a later moment, and let one begin by then, there would be no time at which to wake it.
   */
  #arm(nowMs = this.#options.clock.nowMs()): void {
    const { rolling, stages, clock } = this.#options;
    const freeMs = Math.min(rolling.expire(), stages.dueMs, this.#rateGate(nowMs)?.untilMs ?? Infinity);
    this.#armIn(Math.min(recheckMs, Math.max(0, freeMs - clock.nowMs())));
  }

  #armIn(delayMs: number): void {
    const { clock, order, stages } = this.#options;
    if (this.#line.size === 0 && !order.isWaiting && !stages.isWaiting) return;
    const dueMs = clock.monotonicMs() + delayMs;
    if (this.#timer && this.#timerDueMs <= dueMs) return;
    this.#timer?.cancel();
    this.#timerDueMs = dueMs;
    this.#timer = clock.timer(delayMs, () => {
      this.#timer = undefined;
      this.#timerDueMs = Infinity;
      this.#onTimer();
    });
  }

  #rateGate(nowMs: number): ClosedGate | undefined {
    const { pace, rolling } = this.#options;
    if (!pace.rate) return undefined;
    // Those that hold a place begin at any moment.
    const nthLastMs = (n: number): number | undefined =>
      n <= rolling.places ? nowMs : this.#starts.nthLastMs(n - rolling.places, nowMs);
    return restartRateGate({ rate: pace.rate, nthLastMs, nowMs });
  }

  #restart(workload: TrackedWorkload, changes: readonly LocalSourceRef[]): WaitingRestart {
    const { sources, clock } = this.#options;
    const { namespace } = workload.record;
    const found = changes.map(({ kind, name }) => sources.get({ kind, namespace, name }));
    return {
      workload,
      isUrgent: found.some((source) => source?.gates?.isUrgent === true),
      owedSinceMs: Math.min(...found.map((source) => source?.writtenAtMs ?? clock.nowMs())),
    };
  }

  #closed(restart: WaitingRestart, nowMs: number): Closed | undefined {
    const { workload } = restart;
    const { key, record } = workload;
    if (rollsOut(record)) {
      const isCounted = this.#options.rolling.of(key).workloads > 0;
      for (const limit of this.#limits(workload)) {
        // One that rolls may restart again: others may be waiting for it, and this may be what makes it ready.
        const isKept = !isCounted && this.#line.isBehind(limit.id, restart, this.#shares);
        const gate = maxRollingGate([{ ...limit, isKept }], { pods: record.progress.pods });
        if (gate) return { gate, scope: limit.scope, ...(limit.limit.unit === 'pods' && { lacksPods: limit.id }) };
      }
    }
    const gate = this.#rateGate(nowMs);
    // When it is the turn of this one depends on those before it.
    return gate && { gate: { ...gate, untilMs: undefined }, scope: 'all-stay' };
  }

  /** Every limit that concerns the workload. One that restarts again while it rolls takes no second place. */
  *#limits(workload: TrackedWorkload): Generator<ScopedLimit> {
    const { key, record } = workload;
    const { pace, namespaces, rolling, sources } = this.#options;
    const { namespace, nodePool } = record;
    const own = rolling.of(key);
    const others = ({ workloads, pods }: Rolling): Rolling => ({
      workloads: workloads - own.workloads,
      pods: pods - own.pods,
    });
    if (pace.maxRolling !== 'off') {
      const inUse = { setBy: '--max-rolling', limit: pace.maxRolling, rolling: others(rolling.inCluster) };
      yield { ...inUse, id: 'cluster', scope: 'all-stay' };
    }
    const ofNamespace = namespaces.of(namespace)?.maxRolling;
    const limit = ofNamespace ?? pace.perNamespace;
    if (limit !== 'off') {
      const setBy = ofNamespace
        ? `${gateAnnotations.maxRolling} on namespace ${namespace}`
        : '--max-rolling-per-namespace';
      const inUse = { setBy, limit, rolling: others(rolling.inNamespace(namespace)) };
      yield { ...inUse, id: `namespace ${namespace}`, scope: 'namespace-stays' };
    }
    if (nodePool !== undefined && pace.perNodePool !== 'off') {
      const inUse = { setBy: '--max-rolling-per-node-pool', limit: pace.perNodePool };
      yield { ...inUse, rolling: others(rolling.inNodePool(nodePool)), id: `pool ${nodePool}`, scope: 'stays' };
    }
    // Also of sources that have not changed: their users must not roll out together for another one either.
    for (const source of sources.limitingIn(namespace)) {
      const ofSource = sources.get(source)?.gates?.maxRolling ?? 'off';
      if (ofSource === 'off' || !candidateOf(source, workload)) continue;
      const { kind, name } = source;
      const inUse = { setBy: `${gateAnnotations.maxRolling} on ${kind} ${name}`, limit: ofSource };
      const users = rolling.among(namespace, (other) => other !== key && this.#uses(other, source));
      yield { ...inUse, rolling: users, id: `${kind} ${namespace}/${name}`, scope: 'stays' };
    }
  }

  #uses(key: WorkloadKey, source: SourceRef): boolean {
    const workload = this.#options.workloads.get(key);
    return workload !== undefined && candidateOf(source, workload) !== undefined;
  }
}
