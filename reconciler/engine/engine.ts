import type { ContentDigester } from '../../shared/domain/sources/content-digest';
import { sourceId } from '../../shared/domain/sources/source';
import type { WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import type { ForbiddenError } from '../../shared/kube/errors';
import { EventRecorder } from '../../shared/kube/client/events';
import { journalKey, loadInstallKey } from '../../shared/kube/secrets/install-keys';
import type { BackoffOptions } from '../../shared/runtime/random';
import { AdoptionRateLimiter } from '../work/adoption-rate-limiter';
import { BaselineRemovals } from '../work/baseline-removals';
import { Hints } from '../hints/hints';
import { ChangeRecordIntake, type Receipt } from '../hints/change-record-intake';
import { sourceReader } from '../reading/read-source';
import { NotLeadingError } from '../apply/restart';
import { ComparableVersions } from '../workloads/comparable-versions';
import { CsiRotations } from '../sources/csi-rotations';
import { DigestKeyring } from '../sources/digest-keyring';
import { electionFor, type Election } from './election';
import type { EngineDeps } from './engine-deps';
import type { EngineSettings } from '../options/engine-settings';
import { JobJournal } from '../apply/job-journal';
import { JobWorker } from '../work/job-worker';
import { JournalStore } from '../apply/journal-store';
import { KeyQueue } from '../queue/key-queue';
import { KnownKinds } from '../watch/known-kinds';
import { InjectedRestarts } from '../work/injected-restarts';
import { MissingPermissions } from '../reporting/missing-permissions';
import { NamedSources } from '../reading/named-sources';
import { NamespaceScope } from '../workloads/namespace-scope';
import {
  observeJobs,
  observeSources,
  observeWatches,
  observeWorkloads,
  queueObserver,
  reflectorObserver,
} from './observers';
import type { Term } from '../../shared/domain/plan/plan';
import { Questions } from '../questions/questions';
import { Reporter } from '../reporting/reporter';
import { RolloutCoalescer } from '../work/rollout-coalescer';
import { SettleWindows } from '../work/settle-window';
import { ContentLoader } from '../reading/content-loader';
import { sourceReads } from '../reading/source-reads';
import { SourceIndex, type SourceChange } from '../sources/source-index';
import { ReferencedDeploymentReader } from '../workloads/referenced-deployment-reader';
import { WorkloadRefs } from '../workloads/workload-refs';
import { Watches, type WatchStatus } from '../watch/watches';
import { Worker, type PlanView } from '../work/worker';
import { WorkloadIndex } from '../workloads/workload-index';
import { dryEvents, dryWriters, writersFor } from '../work/writers';

/**
 * Workloads written at once, each over a connection of its own; more would only queue up in the API server. With that which
 * the renewal of the lease may need they are 16.
 */
export const concurrency = 15;

const retryBackoff: BackoffOptions = { baseMs: 100, maxMs: 60_000 };

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
export class Engine {
  /** For the webhook. */
  readonly questions: Questions;
  readonly #deps: EngineDeps;
  readonly #dryRun: boolean;
  readonly #foldRollouts: boolean;
  readonly #stop = new AbortController();

  readonly #reporter: Reporter;
  readonly #sources: SourceIndex;
  readonly #hints: Hints;
  readonly #inbox: ChangeRecordIntake;
  readonly #scope: NamespaceScope;
  readonly #workloads: WorkloadIndex;
  readonly #loans: WorkloadRefs;
  readonly #settle: SettleWindows;
  readonly #coalescer: RolloutCoalescer;
  readonly #watches: Watches;
  readonly #keys: DigestKeyring;
  readonly #known: KnownKinds;
  readonly #named: NamedSources;
  readonly #election: Election;
  readonly #worker: Worker;
  readonly #jobWorker: JobWorker;
  readonly #queue: KeyQueue;
  readonly #jobs: KeyQueue;
  /** Deployments to be read, by `namespace/name`. */
  readonly #lenders: KeyQueue;

  /** Undefined while this replica does not lead. */
  #term: Term | undefined;
  #watchingSinceMs = 0;
  /** Of all terms of this process the earliest. */
  #inChargeSinceMs = Infinity;

  constructor(deps: EngineDeps, settings: EngineSettings, digester: ContentDigester) {
    this.#deps = deps;
    const { client, clock, random, logger, metrics, alerts } = deps;
    const { policy, annotationKeys, ownNamespace, identity, dryRun } = settings;
    this.#dryRun = dryRun;
    this.#foldRollouts = settings.foldRollouts;
    const keys = new DigestKeyring(digester, deps.keyIsShared ?? true);
    this.#keys = keys;

    const whenIdle = async (maxMs: number): Promise<void> => await this.#queue.whenIdle(maxMs);
    const told = { client, clock, random, logger, component: 'reroll', instance: identity, whenIdle };
    const events = dryRun ? dryEvents : new EventRecorder(told);
    this.#reporter = new Reporter({ clock, logger, metrics, events, alerts });
    this.#settle = new SettleWindows(clock);
    this.#sources = new SourceIndex(clock, {
      onChange: (change) => this.#onSourceChange(change),
      onInconsistency: (kind, namespace, name) => this.#hints.check(kind, namespace, name),
      onListed: (kind, namespace) => this.#hints.listed(kind, namespace),
    });
    const readSource = sourceReader(client, keys, annotationKeys, settings.sourceSelector);
    const contents = new ContentLoader({
      ...sourceReads(deps, keys, annotationKeys, settings.sourceSelector),
      sources: this.#sources,
      onRead: (source) => this.#hints.observed(source),
    });
    this.#hints = new Hints({
      ...{ clock, logger },
      metrics: metrics.channel,
      sources: { known: (kind, namespace, name) => this.#sources.get(kind, namespace, name) },
      readSource,
      onStored: (record) => this.#sources.learn(record),
      onAbsent: (kind, namespace, name) => this.#sources.learnAbsence(kind, namespace, name),
    });
    this.#inbox = new ChangeRecordIntake({
      ...{ clock, logger, keys },
      metrics: metrics.channel,
      hints: this.#hints,
      isWanted: (kind, namespace, name) =>
        kind !== settings.ignoredSourceKind &&
        (settings.namespaces.length === 0 || settings.namespaces.includes(namespace)) &&
        // A record tells no labels: of a source that is new to us, the watch alone tells whether it is selected.
        (settings.sourceSelector.isEverything || this.#sources.get(kind, namespace, name) !== undefined) &&
        this.#workloads.usersOf(kind, namespace, name).length > 0,
    });
    this.#scope = new NamespaceScope({
      ...{ clock, logger, selector: settings.namespaceSelector },
      forget: (namespace) => this.#workloads.forgetNamespace(namespace),
    });
    this.#workloads = new WorkloadIndex({
      ...{ clock, keys, policy, annotationKeys, ignoreStored: dryRun },
      selectedSinceMs: (namespace) => this.#scope.selectedSinceMs(namespace),
      onChange: (workload) => {
        this.#reporter.problems(workload);
        // A workload that was just written is about to be written by its own controller: soon is soon enough.
        if (this.#known.hasSynced) this.#queue.add(workload.key, settings.settleMs);
      },
      onUntracked: (workload) => this.#reporter.problems({ ...workload, baselineProblem: undefined }),
      onGone: (key) => {
        this.#queue.forget(key);
        this.#worker.forget(key);
      },
    });
    this.#loans = new WorkloadRefs({
      ...{ annotationKeys, policy },
      workloads: {
        sink: (kind, namespace, onSynced) =>
          this.#scope.workloadSink(kind, this.#workloads.sink(kind, namespace, onSynced)),
        seeAnew: (key) => this.#workloads.seeAnew(key),
      },
      onLoan: (deployment) => this.#lenders.add(deployment),
    });
    observeSources(metrics, this.#sources);
    observeWorkloads(metrics, this.#workloads, events);
    this.#watches = new Watches({
      deps: { client, clock, random, logger },
      ...settings,
      ...{ digester: keys, sources: this.#sources, workloads: this.#loans, scope: this.#scope, wholeLists: false },
      csi: settings.csi ? new CsiRotations({ clock, sources: this.#sources }) : undefined,
      onProgress: () => this.#onProgress(),
      onLost: ({ plural }) => metrics.watchSynced.remove({ resource: plural }),
      observer: (resource) => reflectorObserver(metrics, resource),
    });
    observeWatches(metrics, this.#watches);
    this.#known = new KnownKinds({
      ...{ clock, watches: this.#watches },
      onMore: () => {
        deps.onListed?.();
        this.#lookAtEverything();
      },
    });
    this.#named = new NamedSources({
      ...{ clock, logger, readSource, sources: this.#sources, workloads: this.#workloads },
      refused: () => this.#watches.refusedSources(),
      onKnown: (kind, namespace, name) => {
        for (const { key } of this.#workloads.usersOf(kind, namespace, name)) this.#queue.add(key);
      },
    });
    this.#election = electionFor(deps, settings);

    const assertLeading = (): void => this.#assertLeading();
    const onEntry = (name: string): void => this.#jobs.add(name);
    const rights = new MissingPermissions(logger);
    const store = new JournalStore({
      ...{ client, namespace: ownNamespace },
      loadKey: async () => await loadInstallKey(client, random, ownNamespace, journalKey),
      onRefusedEntry: (entry) => this.#reporter.journalEntryRefused(entry),
    });
    const onRefused = (error: ForbiddenError): void => rights.journal(error);
    const journal = new JobJournal({ client, store, assertLeading, onEntry, onRefused });
    this.#jobWorker = new JobWorker({
      ...{ journal, reporter: this.#reporter, logger },
      onSuperseded: () => this.#lookAtEverything(),
    });
    observeJobs(metrics, this.#jobWorker);
    const context = {
      client,
      assertLeading,
      onAnnotationsRefused: (kind: WorkloadKindName, error: ForbiddenError) => rights.annotations(kind, error),
      read: (kind: WorkloadKindName, object: unknown) => this.#loans.joined(this.#loans.read(kind, object)),
    };
    const pausedAtKey = annotationKeys.pausedAt;
    const [workloads, reporter] = [this.#workloads, this.#reporter];
    const view: PlanView = {
      ...{ keys, settings, workloads, sources: this.#sources },
      knownKinds: () => this.#known.kinds,
      isNamed: (kind, namespace, name) => this.#named.knows(kind, namespace, name),
      term: () => (this.#isInCharge() ? this.#term : undefined),
    };
    const writes = {
      clock,
      random,
      contents,
      defaults: settings,
      hints: this.#hints,
      injected: new InjectedRestarts(),
    };
    this.questions = new Questions({
      ...{ ...view, ...writes, settings, keys, annotationKeys, dryRun, scope: this.#scope, read: context.read },
      isSettled: () => this.#known.hasSynced,
    });
    this.#coalescer = new RolloutCoalescer({ clock, logger, context });
    this.#worker = new Worker({
      ...{ ...view, ...writes, context, reporter, settle: this.#settle, coalescer: this.#coalescer },
      versions: new ComparableVersions(client),
      adoptions: new AdoptionRateLimiter(clock),
      removals: new BaselineRemovals({ client, clock, reporter }),
      writers: dryRun ? dryWriters : writersFor(journal, { clock, context, workloads, reporter, pausedAtKey }),
    });

    const common = { clock, random, concurrency, backoff: retryBackoff };
    this.#queue = new KeyQueue({
      ...common,
      process: async (key) => await this.#worker.process(key),
      observer: queueObserver(metrics),
    });
    this.#jobs = new KeyQueue({ ...common, process: async (name) => await this.#jobWorker.process(name) });
    const lenders = new ReferencedDeploymentReader({ client, logger, loans: this.#loans, workloads: this.#workloads });
    this.#lenders = new KeyQueue({ ...common, process: async (key) => await lenders.process(key) });
  }

  get state(): 'syncing' | 'standby' | 'acting' {
    if (!this.#known.hasSynced) return 'syncing';
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
    return this.#watches.statuses();
  }

  /** What the webhook announces. Malformed, forged or old, it restarts nothing: at most it makes us read. */
  accept(records: readonly unknown[]): Receipt {
    return this.#inbox.accept(records);
  }

  start(): void {
    this.#watchingSinceMs = this.#deps.clock.nowMs();
    this.#watches.start();
    void this.#named.run(this.#stop.signal);
    this.#known.start();
    this.#election.start({
      onStartedLeading: (previous) => this.#onStartedLeading(previous),
      onStoppedLeading: () => this.#onStoppedLeading(),
      onRestored: () => this.#onRestored(),
    });
  }

  /**
   * Goes over to the key of the install. All sources are listed anew and digested under both keys: what is recorded under
   * the first is compared under the first and recorded under the second, so that nothing is restarted for it, and no change
   * that is owed is forgotten. Returns false where it is too early for that.
   */
  useSharedKey(key: Buffer): boolean {
    if (!this.#watches.hasSynced()) return false;
    this.#keys.add(key);
    this.#named.readAnew();
    this.#known.forget(true);
    this.#coalescer.clear();
    return true;
  }

  /** Stops writing, gives the lease back, and resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#known.stop();
    this.#hints.stop();
    this.#named.readAnew();
    const parts = [this.#watches, this.#queue, this.#jobs, this.#lenders];
    await Promise.all(parts.map(async (part) => await part.stop()));
    // Last: until the writes under way have ended, nobody else may begin.
    await this.#election.stop();
  }

  #isInCharge(): boolean {
    return this.#election.isLeader() && !this.#stop.signal.aborted;
  }

  #assertLeading(): void {
    if (this.#dryRun || !this.#isInCharge()) throw new NotLeadingError();
  }

  #onSourceChange(change: SourceChange): void {
    const { kind, namespace, name, after } = change;
    if (after) this.#hints.observed(after);
    // Before its first list is complete, a kind's sources are not news; then everything is looked at.
    if (!this.#known.kinds.has(kind) && !this.#named.knows(kind, namespace, name)) return;
    if (!this.#scope.isSelected(namespace)) {
      this.#reporter.sourceNotSelected(change);
      return;
    }
    const users = this.#workloads.usersOf(kind, namespace, name);
    if (this.#foldRollouts) this.#coalescer.changed(change, users);
    for (const [indexInChange, { key }] of users.entries()) {
      if (after && !change.before) this.#workloads.sourceCreated(key, after);
      this.#settle.touch(key, sourceId(kind, name));
      this.#queue.add(key, 0, indexInChange);
    }
    this.#reporter.sourceChanged(change, users.length);
  }

  /** A first list is complete, or a watch was refused. */
  #onProgress(): void {
    if (this.#watches.hasSynced() && this.#keys.promote()) this.#onKeyChanged();
    this.#known.progress();
  }

  #onKeyChanged(): void {
    this.#deps.logger.info('the digest key of the install is in use from now on; all baselines are recorded under it');
    this.#workloads.rereadUnderOtherKey();
    this.#lookAtEverything();
  }

  #onStartedLeading(previous: { readonly renewTimeMs: number } | undefined): void {
    const { clock, metrics } = this.#deps;
    const sinceMs = previous ? previous.renewTimeMs - handoverMs : clock.nowMs() - clockSkewMs;
    // The holder before may have been this very process, before it could look at anything.
    this.#inChargeSinceMs = Math.min(this.#inChargeSinceMs, sinceMs);
    this.#term = { inChargeSinceMs: this.#inChargeSinceMs, watchingSinceMs: this.#watchingSinceMs };
    if (!this.#dryRun) {
      metrics.leader.set(1);
      this.#recoverJobs();
    }
    // What was learnt before this term may be older than what the former leader has acted on.
    this.#named.readAnew();
    this.#known.forget();
    this.#reporter.lead(true);
    this.#lookAtEverything();
  }

  #onStoppedLeading(): void {
    this.#term = undefined;
    this.#reporter.lead(false);
    this.#coalescer.clear();
    this.#deps.metrics.leader.set(0);
  }

  /** The watches would go on from versions that the server has yet to reach, and what they have shown may be undone. */
  #onRestored(): void {
    this.#named.readAnew();
    this.#known.forget();
    this.#workloads.forgetSeen();
    void this.#watches.listOthersAgain();
    // The backup may be of a moment between the deletion of a Job and its re-creation.
    if (this.#term) this.#recoverJobs();
  }

  #recoverJobs(): void {
    void this.#jobWorker.recover(this.#deps, this.#stop.signal);
  }

  #lookAtEverything(): void {
    if (!this.#known.hasSynced) return;
    for (const [indexInChange, { key }] of [...this.#workloads.tracked()].entries())
      this.#queue.add(key, 0, indexInChange);
  }
}
