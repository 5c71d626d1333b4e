import type { ContentDigester } from '../../shared/domain/sources/content-digest';
import { sameGateSettings } from '../../shared/domain/gate-settings/gate-settings';
import { isHistoryName } from '../../shared/domain/protocol/history';
import { sourceId } from '../../shared/domain/sources/source';
import { asksFor } from '../../shared/domain/plan/asks-for';
import type { Term } from '../../shared/domain/plan/plan-input';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import { EventRecorder } from '../../shared/kube/client/events';
import { NotLeadingError } from '../apply/restart';
import type { Receipt } from '../hints/change-record-intake';
import type { RestartHistory } from '../history/restart-history';
import type { EngineSettings } from '../options/engine-settings';
import type { Inspections } from '../inspection/inspections';
import type { Questions } from '../questions/questions';
import { GateProblems } from '../reporting/gate-problems';
import { MissingPermissions } from '../reporting/missing-permissions';
import { Reporter } from '../reporting/reporter';
import { DigestKeyring } from '../sources/digest-keyring';
import type { SourceChange } from '../sources/source-index';
import { watchedSourceKinds } from '../watch/list-watches';
import { isAmong, type WatchStatus } from '../watch/watches';
import { dryRunEvents } from '../worker/writers';
import { buildGates, type GateParts } from './build-gates';
import { buildHistory } from './build-history';
import { buildSources, type SourceParts } from './build-sources';
import { buildWatch, type WatchParts } from './build-watch';
import { buildWork, type WorkParts } from './build-work';
import { buildWorkloads, type WorkloadParts } from './build-workloads';
import { electionFor, type Election } from './election';
import type { EngineBase, EngineDeps } from './engine-deps';
import { observeWorkloads } from './observers';
import type { ReconcilerEngine } from './reconciler-engine';

/** The previous leader may not have handled workloads created this long before it last renewed the Lease. */
const handoverMs = 60_000;

/** On a first install, a workload that was created this long before counts as new: clocks may differ. */
const clockSkewMs = 10_000;

/**
 * Watches fill two indexes, changes put keys of workloads into a queue, and a worker compares each workload with its
 * baseline and acts.
 *
 *     webhook ──▶ ChangeRecordIntake ──▶ Hints ─┐ (confirmed by a read)
 *     watches ──────▶ SourceIndex ─┴─┐ (who uses it)
 *        └──────────▶ WorkloadIndex ─┴──▶ KeyQueue ──▶ Worker: plan ──▶ apply
 *
 * No decision is made from an event or a hint itself, so nothing depends on having seen one.
 */
export class Engine implements ReconcilerEngine {
  readonly #deps: EngineDeps;
  readonly #settings: EngineSettings;
  readonly #keys: DigestKeyring;
  readonly #stop = new AbortController();

  readonly #history: RestartHistory;
  readonly #reporter: Reporter;
  readonly #gateProblems: GateProblems;
  readonly #permissions: MissingPermissions;
  readonly #sources: SourceParts;
  readonly #workloads: WorkloadParts;
  readonly #gates: GateParts;
  readonly #watch: WatchParts;
  readonly #work: WorkParts;
  readonly #election: Election;
  readonly #events: Pick<EventRecorder, 'record' | 'dropped' | 'stop'>;

  /** Undefined while this replica does not lead. */
  #term: Term | undefined;
  /**
   * The time since which no other replica writes, by the API server's clock. Undefined while this replica does not
   * lead, and after a restore of etcd.
   */
  #leadingSinceMs: number | undefined;
  #watchingSinceMonotonicMs = 0;
  /** Ends the search for Jobs that an earlier leader was recreating. */
  #recovery = new AbortController();
  /** The earliest time since which this process has been in charge, over all its terms. */
  #inChargeSinceMs = Infinity;

  constructor(deps: EngineDeps, settings: EngineSettings, digester: ContentDigester) {
    this.#deps = deps;
    this.#settings = settings;
    this.#keys = new DigestKeyring(digester, deps.keyIsShared ?? true);
    const base: EngineBase = { deps, settings, keys: this.#keys };
    const events = (this.#events = this.#eventRecorder());
    this.#permissions = new MissingPermissions(deps.logger);
    this.#gateProblems = new GateProblems({
      ...{ ...deps, rollback: settings.rollback },
      limitingIn: (namespace) => this.#sources.index.limitingIn(namespace),
    });
    this.#history = buildHistory(base, {
      assertLeading: () => this.#assertHoldingLease(),
      isReferenced: (target) => this.#workloads.refs.isReferenced(target),
      onRefused: (error) => this.#permissions.history(error),
      onEnd: (restart, conclusion) => this.#reporter.ended(restart, conclusion),
    });
    this.#reporter = new Reporter({ ...deps, events, history: this.#history });
    this.#sources = buildSources(base, {
      onChange: (change) => this.#onSourceChange(change),
      onRead: (source) => this.#work.rollback?.rollbacks.changed(source),
      isRefused: (source) => isAmong(this.#watch.watches.refusedSources(), source),
      mayBeUsed: (source) =>
        this.#workloads.index.usersOf(source).length > 0 || !this.#watch.watches.hasListedWorkloads(),
    });
    this.#workloads = buildWorkloads(base, {
      onChange: (workload) => {
        this.#reporter.problems(workload);
        // A workload that was just written will soon be written by its own controller too, so it is looked at later.
        if (this.#watch.known.hasSynced) this.#work.queue.add(workload.key, settings.settleMs);
      },
      onSeen: (workload) => this.#work.saw(workload),
      // It may have been the last user that kept a content from being kept.
      onLeft: (former) => this.#work.rollback?.rollbacks.saw(former),
      onUntracked: (workload) => this.#reporter.problems({ ...workload, baselineProblem: undefined }),
      onRead: (record, object) => this.#history.saw(record, object),
      onGone: (key, uid) => {
        this.#history.gone(key, uid);
        this.#work.queue.forget(key);
        this.#work.worker.forget(key);
        const entry = this.#work.jobWorker.waitingFor(uid);
        if (entry !== undefined) this.#work.jobs.add(entry);
      },
      leadingSinceMs: () => this.#leadingSinceMs,
      onRestored: (version) => this.#onRestored(version),
    });
    observeWorkloads(deps.metrics, this.#workloads.index, events);
    this.#gates = buildGates(base, this.#sources, {
      onInstallChange: () => this.#lookAtEverything(),
      onNamespaceChange: ({ namespace, before, after }) => {
        this.#gateProblems.seen(`Namespace ${namespace}`, namespace, before, after);
        this.#work.turns.freed();
        this.#lookAtNamespace(namespace);
      },
    });
    this.#watch = buildWatch(base, this.#sources, this.#workloads, this.#gates, {
      onProgress: () => this.#onProgress(),
      onMore: () => {
        deps.onListed?.();
        this.#lookAtEverything();
      },
      onKnown: (source) => {
        for (const { key } of this.#workloads.index.usersOf(source)) this.#work.queue.add(key);
      },
    });
    this.#election = electionFor(deps, settings);
    const parts = {
      ...{ events, reporter: this.#reporter, history: this.#history, permissions: this.#permissions },
      ...{ sources: this.#sources, workloads: this.#workloads, gates: this.#gates, watch: this.#watch },
    };
    this.#work = buildWork(base, parts, {
      assertLeading: () => this.#assertLeading(),
      term: () => (this.#mayAct() ? this.#term : undefined),
      checkRestored: async () => await this.#election.checkRestored(),
      onRestored: (version) => this.#onRestored(version),
    });
  }

  get questions(): Questions {
    return this.#work.questions;
  }

  get inspections(): Inspections {
    return this.#work.inspections;
  }

  get state(): 'syncing' | 'standby' | 'acting' {
    // A leader that does not know yet what is held restarts nothing.
    if (!this.#watch.known.hasSynced || (this.#term && !this.#watch.gates.isKnown)) return 'syncing';
    return this.#term ? 'acting' : 'standby';
  }

  get election(): Pick<Election, 'problem' | 'remark' | 'leader'> {
    return this.#election;
  }

  /** Whether baselines are recorded under the key of the install, which outlives this process. */
  get keyIsShared(): boolean {
    return this.#keys.isShared;
  }

  watchStatuses(): readonly WatchStatus[] {
    return this.#watch.watches.statuses();
  }

  /** Takes change records of the webhook. Malformed, forged or old, they restart nothing: at most they cause a read. */
  accept(records: readonly unknown[]): Receipt {
    return this.#sources.intake.accept(records);
  }

  start(): void {
    this.#watchingSinceMonotonicMs = this.#deps.clock.monotonicMs();
    this.#watch.watches.start();
    void this.#watch.named.run(this.#stop.signal);
    this.#watch.known.start();
    this.#election.start({
      onStartedLeading: (previous) => this.#onStartedLeading(previous),
      onStoppedLeading: () => this.#onStoppedLeading(),
      onRestored: (version) => this.#onRestored(version),
    });
  }

  /**
   * Switches to the digest key of the install. All sources are listed again and digested under both keys. A baseline
   * that was recorded under the first key is compared under the first and recorded under the second, so the switch
   * restarts nothing and loses no owed change. Returns false if it is too early: not all first lists are complete.
   */
  useSharedKey(key: Buffer): boolean {
    if (!this.#watch.watches.hasSynced()) return false;
    this.#keys.add(key);
    this.#watch.named.readAnew();
    this.#watch.known.forget(true);
    this.#work.coalescer.clear();
    // Until all is listed again, nothing seems to be owed to anybody, and each wave would take the ones before for done.
    if (this.#term) this.#work.turns.begin();
    return true;
  }

  /** Stops writing, releases the Lease, and resolves when nothing is in progress any more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#recovery.abort();
    this.#watch.known.stop();
    this.#sources.hints.stop();
    this.#watch.named.readAnew();
    const { queue, jobs, rollback } = this.#work;
    const parts = [this.#watch.watches, queue, jobs, rollback?.queue, this.#workloads.referencedDeployments];
    await Promise.all(parts.map(async (part) => await part?.stop()));
    this.#work.turns.end();
    await this.#history.stop();
    // The Lease comes after them: no other replica may begin until the writes in progress have ended.
    await this.#election.stop();
    await this.#events.stop();
  }

  #eventRecorder(): Pick<EventRecorder, 'record' | 'dropped' | 'stop'> {
    const { identity: instance, dryRun } = this.#settings;
    if (dryRun) return dryRunEvents;
    const whenIdle = async (maxMs: number): Promise<void> => await this.#work.queue.whenIdle(maxMs);
    return new EventRecorder({ ...this.#deps, component: 'reroll', instance, whenIdle });
  }

  #isInCharge(): boolean {
    return this.#election.isLeader() && !this.#stop.signal.aborted;
  }

  /** As long as it is not known what is held, everything is. */
  #mayAct(): boolean {
    return this.#isInCharge() && this.#watch.gates.isKnown;
  }

  #assertLeading(): void {
    if (this.#settings.dryRun || !this.#isInCharge()) throw new NotLeadingError();
  }

  /** Unlike a restart, the last lines of the history are written while the process stops. */
  #assertHoldingLease(): void {
    if (!this.#election.isLeader()) throw new NotLeadingError();
  }

  #onSourceChange(change: SourceChange): void {
    const { kind, namespace, after } = change;
    // What Reroll writes there itself is no change that anybody made.
    if (kind === 'ConfigMap' && namespace === this.#settings.ownNamespace && isHistoryName(change.name)) return;
    this.#gateProblems.seenSource(change);
    if (!sameGateSettings(change.before?.gates, after?.gates)) this.#work.turns.freed();
    // Until the first list of a kind is complete, its sources are not news. Then every workload is looked at.
    if (!this.#watch.known.in(namespace).has(kind) && !this.#watch.named.knows(change)) return;
    if (!this.#workloads.scope.isSelected(namespace)) {
      this.#reporter.sourceNotSelected(change);
      return;
    }
    const users = this.#workloads.index.usersOf(change);
    if (after && !change.before && this.#settings.reloadOnCreate) {
      for (const { key } of users) this.#workloads.index.sourceShown(key, after);
    }
    const concerned = new Set(users.filter((user) => this.#mayConcern(user, change)));
    if (this.#settings.foldRollouts) this.#work.coalescer.changed(change, [...concerned]);
    // An edit of an ignored source restarts nobody, and no workload is looked at for it.
    const isIgnored = change.before?.ignore === true && after?.ignore === true;
    for (const [indexInChange, user] of isIgnored ? [] : users.entries()) {
      const mayRestart = concerned.has(user);
      this.#work.settle[mayRestart ? 'touch' : 'notice'](user.key, sourceId(change));
      // One that nothing restarts is looked at to say why, and for ten edits once.
      this.#work.queue.add(user.key, mayRestart ? 0 : this.#settings.settleMs, indexInChange);
    }
    this.#reporter.sourceChanged(change, users.length);
    this.#work.rollback?.rollbacks.changed(change);
  }

  #mayConcern(user: TrackedWorkload, { kind, name, before, after }: SourceChange): boolean {
    // What a source said before its deletion may not be the last thing that it said.
    const shown = after ? [before, after] : [{ kind, name, ignore: false, match: true }];
    return shown.some((source) => source && asksFor(user, source, this.#settings.policy));
  }

  /** A first list is complete, or a watch was refused. */
  #onProgress(): void {
    if (this.#watch.watches.hasSynced() && this.#keys.promote()) this.#onKeyChanged();
    const areGatesNew = this.#watch.gates.progress();
    this.#watch.known.progress();
    if (!areGatesNew) return;
    for (const refused of this.#watch.watches.refusedGates()) this.#permissions.gates(refused);
    this.#lookAtEverything();
  }

  #onKeyChanged(): void {
    this.#deps.logger.info('the digest key of the install is in use from now on; all baselines are recorded under it');
    this.#workloads.index.rereadUnderOtherKey();
    this.#lookAtEverything();
  }

  #onStartedLeading(previous: { readonly renewTimeMs: number } | undefined): void {
    const { clock, metrics } = this.#deps;
    const nowMs = clock.nowMs();
    const sinceMs = previous ? previous.renewTimeMs - handoverMs : nowMs - clockSkewMs;
    // The previous holder may have been this same process, before it could look at anything.
    this.#inChargeSinceMs = Math.min(this.#inChargeSinceMs, sinceMs);
    const watchingSinceMs = nowMs - (clock.monotonicMs() - this.#watchingSinceMonotonicMs);
    this.#term = { inChargeSinceMs: this.#inChargeSinceMs, watchingSinceMs };
    this.#leadingSinceMs = nowMs;
    if (!this.#settings.dryRun) {
      metrics.leader.set(1);
      this.#recoverJobs();
    }
    // What was learned before this term may be older than the state that the previous leader acted on.
    this.#watch.gates.listAgain();
    this.#watch.named.readAnew();
    this.#watch.known.forget();
    this.#reporter.lead(true);
    this.#history.begin();
    this.#work.turns.begin();
    this.#lookAtEverything();
  }

  #onStoppedLeading(): void {
    this.#term = undefined;
    this.#leadingSinceMs = undefined;
    this.#reporter.lead(false);
    this.#history.end();
    this.#work.turns.end();
    this.#work.coalescer.clear();
    this.#work.unfinished.clear();
    this.#work.rollback?.rollbacks.clear();
    this.#deps.metrics.leader.set(0);
  }

  /**
   * After a restore of etcd, watches would continue from versions that the server has yet to reach, and what they have
   * shown may be undone. So everything is listed again.
   */
  #onRestored(version: string): void {
    // The restore brings back baselines that other replicas wrote.
    this.#leadingSinceMs = undefined;
    this.#workloads.scope.restored(version);
    this.#workloads.refs.restored();
    this.#sources.index.restored(version);
    this.#sources.contents.readAnew();
    // The reads of change records that are under way count as overtaken, as after a list.
    for (const kind of watchedSourceKinds) this.#sources.hints.listed(kind, undefined);
    this.#watch.named.readAnew();
    this.#workloads.index.forgetSeen();
    this.#work.rollback?.rollbacks.restored();
    this.#watch.gates.forget();
    this.#watch.known.restored();
    if (this.#term) this.#work.turns.begin();
    // The backup may have been taken between the deletion of a Job and its recreation.
    if (this.#term) this.#recoverJobs();
  }

  /** Ends the search of an earlier term first. Otherwise its retries would continue beside those of this term. */
  #recoverJobs(): void {
    this.#recovery.abort();
    this.#recovery = new AbortController();
    void this.#work.jobWorker.recover(this.#deps, this.#recovery.signal);
  }

  #lookAtNamespace(namespace: string): void {
    if (!this.#watch.known.hasSynced) return;
    for (const workload of this.#workloads.index.tracked()) {
      if (workload.record.namespace !== namespace) continue;
      this.#work.queue.add(workload.key);
      this.#work.rollback?.rollbacks.saw(workload);
    }
  }

  #lookAtEverything(): void {
    if (!this.#watch.known.hasSynced) return;
    for (const [indexInChange, workload] of [...this.#workloads.index.tracked()].entries()) {
      this.#work.queue.add(workload.key, 0, indexInChange);
      this.#work.rollback?.rollbacks.saw(workload);
    }
  }
}
