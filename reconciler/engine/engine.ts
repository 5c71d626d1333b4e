import type { ContentDigester } from '../../shared/domain/sources/content-digest';
import { sourceId } from '../../shared/domain/sources/source';
import type { Term } from '../../shared/domain/plan/plan-input';
import { EventRecorder } from '../../shared/kube/client/events';
import { NotLeadingError } from '../apply/restart';
import type { Receipt } from '../hints/change-record-intake';
import type { EngineSettings } from '../options/engine-settings';
import type { Questions } from '../questions/questions';
import { Reporter } from '../reporting/reporter';
import { DigestKeyring } from '../sources/digest-keyring';
import type { SourceChange } from '../sources/source-index';
import type { WatchStatus } from '../watch/watches';
import { dryRunEvents } from '../worker/writers';
import { buildSources, type SourceParts } from './build-sources';
import { buildWatch, type WatchParts } from './build-watch';
import { buildWork, type WorkParts } from './build-work';
import { buildWorkloads, type WorkloadParts } from './build-workloads';
import { electionFor, type Election } from './election';
import type { EngineBase, EngineDeps } from './engine-deps';
import { observeWorkloads } from './observers';
import type { ReconcilerEngine } from './reconciler-engine';

/** The renewal of a Lease may be this much older than the last moment its holder was at work. */
const handoverMs = 60_000;

/** On a first install, clocks may differ by this much before a workload made just now is taken for an old one. */
const clockSkewMs = 10_000;

/**
 * Watches fill two indexes, changes put keys of workloads into a queue, and a worker compares each with its baseline and
 * acts.
 *
 *     webhook ──▶ ChangeRecordIntake ──▶ Hints ─┐ (confirmed by a read)
 *     watches ──────▶ SourceIndex ─┴─┐ (who uses it)
 *        └──────────▶ WorkloadIndex ─┴──▶ KeyQueue ──▶ Worker: plan ──▶ apply
 *
 * Nothing is decided from an event or a hint itself, so nothing depends on having seen it.
 */
export class Engine implements ReconcilerEngine {
  readonly #deps: EngineDeps;
  readonly #settings: EngineSettings;
  readonly #keys: DigestKeyring;
  readonly #stop = new AbortController();

  readonly #reporter: Reporter;
  readonly #sources: SourceParts;
  readonly #workloads: WorkloadParts;
  readonly #watch: WatchParts;
  readonly #work: WorkParts;
  readonly #election: Election;

  /** Undefined while this replica does not lead. */
  #term: Term | undefined;
  /**
   * Since when nobody else writes, by the API server's clock. Undefined while this replica does not lead, and after a
   * restore of etcd.
   */
  #leadingSinceMs: number | undefined;
  #watchingSinceMonotonicMs = 0;
  /** Ends the search for Jobs that an earlier leader was recreating. */
  #recovery = new AbortController();
  /** Of all terms of this process the earliest. */
  #inChargeSinceMs = Infinity;

  constructor(deps: EngineDeps, settings: EngineSettings, digester: ContentDigester) {
    this.#deps = deps;
    this.#settings = settings;
    this.#keys = new DigestKeyring(digester, deps.keyIsShared ?? true);
    const base: EngineBase = { deps, settings, keys: this.#keys };
    const events = this.#eventRecorder();
    this.#reporter = new Reporter({ ...deps, events });
    this.#sources = buildSources(base, {
      onChange: (change) => this.#onSourceChange(change),
      mayBeUsed: (source) =>
        this.#workloads.index.usersOf(source).length > 0 || !this.#watch.watches.hasListedWorkloads(),
    });
    this.#workloads = buildWorkloads(base, {
      onChange: (workload) => {
        this.#reporter.problems(workload);
        // A workload that was just written is about to be written by its own controller: soon is soon enough.
        if (this.#watch.known.hasSynced) this.#work.queue.add(workload.key, settings.settleMs);
      },
      onUntracked: (workload) => this.#reporter.problems({ ...workload, baselineProblem: undefined }),
      onGone: (key) => {
        this.#work.queue.forget(key);
        this.#work.worker.forget(key);
      },
      leadingSinceMs: () => this.#leadingSinceMs,
    });
    observeWorkloads(deps.metrics, this.#workloads.index, events);
    this.#watch = buildWatch(base, this.#sources, this.#workloads, {
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
    const parts = { reporter: this.#reporter, sources: this.#sources, workloads: this.#workloads, watch: this.#watch };
    this.#work = buildWork(base, parts, {
      assertLeading: () => this.#assertLeading(),
      term: () => (this.#isInCharge() ? this.#term : undefined),
      checkRestored: async () => await this.#election.checkRestored(),
      onSuperseded: () => this.#lookAtEverything(),
    });
  }

  get questions(): Questions {
    return this.#work.questions;
  }

  get state(): 'syncing' | 'standby' | 'acting' {
    if (!this.#watch.known.hasSynced) return 'syncing';
    return this.#term ? 'acting' : 'standby';
  }

  get election(): Pick<Election, 'problem' | 'remark'> {
    return this.#election;
  }

  /** Baselines are recorded under the key of the install, which outlives this process. */
  get keyIsShared(): boolean {
    return this.#keys.isShared;
  }

  watchStatuses(): readonly WatchStatus[] {
    return this.#watch.watches.statuses();
  }

  /** What the webhook announces. Malformed, forged or old, it restarts nothing: at most it makes us read. */
  accept(records: readonly unknown[]): Receipt {
    return this.#sources.intake.accept(records);
  }

  start(): void {
    this.#watchingSinceMonotonicMs = this.#deps.clock.monotonicMs();
    this.#watch.watches.start();
    void this.#watch.named.run(this.#stop.signal);
    this.#watch.known.start();
    this.#election.start({
      onStartedLeading: (previous, aheadMs) => this.#onStartedLeading(previous, aheadMs),
      onStoppedLeading: () => this.#onStoppedLeading(),
      onRestored: (version) => this.#onRestored(version),
    });
  }

  /**
   * Goes over to the key of the install. All sources are listed anew and digested under both keys: what is recorded under
   * the first is compared under the first and recorded under the second, so that nothing is restarted for it, and no change
   * that is owed is forgotten. Returns false where it is too early for that.
   */
  useSharedKey(key: Buffer): boolean {
    if (!this.#watch.watches.hasSynced()) return false;
    this.#keys.add(key);
    this.#watch.named.readAnew();
    this.#watch.known.forget(true);
    this.#work.coalescer.clear();
    return true;
  }

  /** Stops writing, gives the lease back, and resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#recovery.abort();
    this.#watch.known.stop();
    this.#sources.hints.stop();
    this.#watch.named.readAnew();
    const parts = [this.#watch.watches, this.#work.queue, this.#work.jobs, this.#workloads.referencedDeployments];
    await Promise.all(parts.map(async (part) => await part.stop()));
    // Last: until the writes under way have ended, nobody else may begin.
    await this.#election.stop();
  }

  #eventRecorder(): Pick<EventRecorder, 'record' | 'dropped'> {
    const { identity: instance, dryRun } = this.#settings;
    if (dryRun) return dryRunEvents;
    const whenIdle = async (maxMs: number): Promise<void> => await this.#work.queue.whenIdle(maxMs);
    return new EventRecorder({ ...this.#deps, component: 'reroll', instance, whenIdle });
  }

  #isInCharge(): boolean {
    return this.#election.isLeader() && !this.#stop.signal.aborted;
  }

  #assertLeading(): void {
    if (this.#settings.dryRun || !this.#isInCharge()) throw new NotLeadingError();
  }

  #onSourceChange(change: SourceChange): void {
    const { kind, namespace, after } = change;
    // Before its first list is complete, a kind's sources are not news; then everything is looked at.
    if (!this.#watch.known.kinds.has(kind) && !this.#watch.named.knows(change)) return;
    if (!this.#workloads.scope.isSelected(namespace)) {
      this.#reporter.sourceNotSelected(change);
      return;
    }
    const users = this.#workloads.index.usersOf(change);
    if (this.#settings.foldRollouts) this.#work.coalescer.changed(change, users);
    for (const [indexInChange, { key }] of users.entries()) {
      if (after && !change.before) this.#workloads.index.sourceCreated(key, after);
      this.#work.settle.touch(key, sourceId(change));
      this.#work.queue.add(key, 0, indexInChange);
    }
    this.#reporter.sourceChanged(change, users.length);
  }

  /** A first list is complete, or a watch was refused. */
  #onProgress(): void {
    if (this.#watch.watches.hasSynced() && this.#keys.promote()) this.#onKeyChanged();
    this.#watch.known.progress();
  }

  #onKeyChanged(): void {
    this.#deps.logger.info('the digest key of the install is in use from now on; all baselines are recorded under it');
    this.#workloads.index.rereadUnderOtherKey();
    this.#lookAtEverything();
  }

  #onStartedLeading(previous: { readonly renewTimeMs: number } | undefined, aheadMs: number): void {
    const { clock, metrics } = this.#deps;
    // Objects are dated by the API server's clock. This process's own may be off by minutes.
    const serverNowMs = clock.nowMs() - aheadMs;
    const sinceMs = previous ? previous.renewTimeMs - handoverMs : serverNowMs - clockSkewMs;
    // The holder before may have been this very process, before it could look at anything.
    this.#inChargeSinceMs = Math.min(this.#inChargeSinceMs, sinceMs);
    const watchingSinceMs = serverNowMs - (clock.monotonicMs() - this.#watchingSinceMonotonicMs);
    this.#term = { inChargeSinceMs: this.#inChargeSinceMs, watchingSinceMs };
    this.#leadingSinceMs = serverNowMs;
    if (!this.#settings.dryRun) {
      metrics.leader.set(1);
      this.#recoverJobs();
    }
    // What was learnt before this term may be older than what the former leader has acted on.
    this.#watch.named.readAnew();
    this.#watch.known.forget();
    this.#reporter.lead(true);
    this.#lookAtEverything();
  }

  #onStoppedLeading(): void {
    this.#term = undefined;
    this.#leadingSinceMs = undefined;
    this.#reporter.lead(false);
    this.#work.coalescer.clear();
    this.#deps.metrics.leader.set(0);
  }

  /** The watches would go on from versions that the server has yet to reach, and what they have shown may be undone. */
  #onRestored(version: string): void {
    // The restore brings back baselines that other replicas wrote.
    this.#leadingSinceMs = undefined;
    this.#workloads.scope.restored(version);
    this.#sources.index.restored(version);
    this.#watch.named.readAnew();
    this.#watch.known.forget();
    this.#workloads.index.forgetSeen();
    void this.#watch.watches.listOthersAgain();
    // The backup may be of a moment between the deletion of a Job and its re-creation.
    if (this.#term) this.#recoverJobs();
  }

  /** Ends the attempts of an earlier term: its retries would go on beside these, for as long as the API server fails. */
  #recoverJobs(): void {
    this.#recovery.abort();
    this.#recovery = new AbortController();
    void this.#work.jobWorker.recover(this.#deps, this.#recovery.signal);
  }

  #lookAtEverything(): void {
    if (!this.#watch.known.hasSynced) return;
    for (const [indexInChange, { key }] of [...this.#workloads.index.tracked()].entries())
      this.#work.queue.add(key, 0, indexInChange);
  }
}
