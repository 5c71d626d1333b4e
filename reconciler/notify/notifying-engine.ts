import { BoundedMap } from '../../shared/domain/bounded-map';
import { budgets } from '../../shared/domain/budgets';
import type { ContentDigester } from '../../shared/domain/sources/content-digest';
import {
  hasContent,
  sourceKey,
  splitSourceKey,
  type SourceKey,
  type SourceRecord,
} from '../../shared/domain/sources/source';
import type { EngineSettings } from '../options/engine-settings';
import type { EngineDeps } from '../engine/engine-deps';
import { countEvent, countPassedOver, whatHappened } from '../reporting/event-counts';
import type { Receipt } from '../hints/change-record-intake';
import { CsiRotations } from '../sources/csi-rotations';
import { electionFor, type Election } from '../engine/election';
import type { ReconcilerEngine } from '../engine/reconciler-engine';
import { observeSources, observeWatches, reflectorObserver } from '../engine/observers';
import { NamespaceScope } from '../workloads/namespace-scope';
import type { PostTransport } from '../../shared/outbound/post-transport';
import { SourceIndex, type SourceChange } from '../sources/source-index';
import { KindsByPlace } from '../watch/kinds-by-place';
import { Watches, type WatchStatus } from '../watch/watches';
import { WebhookCaller } from './webhook-caller';

/** Longer than another replica needs to notice that the leader is gone. */
const recentMs = 60_000;

/** The previous leader's clock may be ahead of ours by this much. */
const clockSkewMs = 10_000;

/**
 * Webhook mode: calls a receiver for each change of a source, and restarts nothing. It watches no workload and stores
 * nothing, so it misses changes made while no replica ran. See docs/reloader-compatibility.md, 14.3.
 */
export class NotifyingEngine implements ReconcilerEngine {
  readonly #deps: EngineDeps;
  readonly #settings: EngineSettings;
  readonly #sources: SourceIndex;
  readonly #scope: NamespaceScope;
  readonly #watches: Watches;
  readonly #caller: WebhookCaller;
  readonly #election: Election;
  #knownKinds = new KindsByPlace([]);
  /** Recent changes by wall clock, oldest first: the leader may have died before it could call. */
  readonly #recent = new BoundedMap<SourceKey, number>({
    maxBytes: budgets.attributionBytes,
    maxOwnerBytes: budgets.attributionNamespaceBytes,
  });

  constructor(deps: EngineDeps, settings: EngineSettings, digester: ContentDigester, transport: PostTransport) {
    this.#deps = deps;
    this.#settings = settings;
    const { client, clock, random, logger, metrics } = deps;
    this.#sources = new SourceIndex(clock, {
      onChange: (change) => this.#onSourceChange(change),
      // Only reads by name can be inconsistent, and there are none here.
      onInconsistency: () => undefined,
      onListed: () => undefined,
    });
    observeSources(metrics, this.#sources);
    this.#scope = new NamespaceScope({ clock, logger, selector: settings.namespaceSelector, forget: () => [] });
    this.#watches = new Watches({
      deps: { client, clock, random, logger },
      ...settings,
      ...{ digester, sources: this.#sources, workloads: undefined, scope: this.#scope, gates: undefined },
      // Every change is reported, and only contents show which sources changed while no watch ran.
      wholeLists: true,
      csi: settings.csi ? new CsiRotations({ clock, sources: this.#sources }) : undefined,
      onProgress: () => this.#onProgress(),
      onLost: ({ plural }) => metrics.watchSynced.remove({ resource: plural }),
      observer: (resource) => reflectorObserver(metrics, resource),
    });
    observeWatches(metrics, this.#watches);
    this.#election = electionFor(deps, settings);
    this.#caller = new WebhookCaller({
      ...{ clock, random, logger, settleMs: settings.settleMs },
      transport: settings.dryRun ? undefined : transport,
      metrics: metrics.notify,
      mayCall: (source) => this.#mayCall(source),
    });
  }

  get state(): 'syncing' | 'standby' | 'acting' {
    if (!this.#watches.hasSynced()) return 'syncing';
    return this.#election.isLeader() ? 'acting' : 'standby';
  }

  /** Nothing is recorded, so it does not matter whether the key is shared. */
  get keyIsShared(): boolean {
    return this.#deps.keyIsShared ?? true;
  }

  get election(): Pick<Election, 'problem' | 'remark' | 'leader'> {
    return this.#election;
  }

  watchStatuses(): readonly WatchStatus[] {
    return this.#watches.statuses();
  }

  /** Nothing is restarted here, so there is nothing to tell people about workloads. */
  get inspections(): undefined {
    return undefined;
  }

  /** The same for the webhook. */
  get questions(): undefined {
    return undefined;
  }

  /** Not used here: a call names neither source nor author. */
  accept(records: readonly unknown[]): Receipt {
    return { accepted: 0, refused: records.length, full: false };
  }

  /** No baseline is recorded under any key. */
  useSharedKey(): boolean {
    return true;
  }

  start(): void {
    this.#deps.logger.warn('--webhook-url is set: changes are sent to it, and no workload is restarted');
    this.#watches.start();
    this.#election.start({
      onStartedLeading: (previous) => this.#onStartedLeading(previous),
      onStoppedLeading: () => this.#deps.metrics.leader.set(0),
      onRestored: () => {
        void this.#watches.listAllAgain();
      },
    });
  }

  async stop(): Promise<void> {
    await Promise.all([this.#watches.stop(), this.#caller.stop()]);
    await this.#election.stop();
  }

  /** Nothing is reported before it is known which namespaces are selected. */
  #onProgress(): void {
    this.#knownKinds = this.#scope.isKnown ? this.#watches.knownKinds() : new KindsByPlace([]);
    if (this.#watches.hasSynced()) this.#deps.onListed?.();
  }

  #onSourceChange(change: SourceChange): void {
    const { kind, namespace } = change;
    // Until the first list of a kind is complete, its sources are not changes.
    if (!this.#knownKinds.in(namespace).has(kind)) return;
    const { metrics } = this.#deps;
    if (!this.#scope.isSelected(namespace)) {
      countPassedOver(metrics, change);
      return;
    }
    countEvent(metrics, change);
    if (!this.#isReported(change)) return;
    const source = sourceKey(change);
    if (this.#mayCall(source)) this.#caller.add(source);
  }

  /** If this replica may not call now, it may owe the call once it gets the Lease. */
  #mayCall(source: SourceKey): boolean {
    if (this.#election.isLeader()) return true;
    this.#remember(source);
    return false;
  }

  /** Ignores annotations, as Reloader does: a source with the ignore annotation is reported too. */
  #isReported(change: SourceChange): boolean {
    const { reloadOnCreate, reloadOnDelete } = this.#settings;
    switch (whatHappened(change)) {
      case 'created':
        return reloadOnCreate;
      case 'deleted':
        // Without its class nothing is rotated any more, and what is mounted stays.
        return reloadOnDelete && change.kind !== 'SecretProviderClass';
      case 'changed':
        return wholeOf(change.before) !== wholeOf(change.after);
    }
  }

  #remember(source: SourceKey): void {
    const nowMs = this.#deps.clock.nowMs();
    this.#recent.set(source, nowMs, source.length, splitSourceKey(source).namespace);
    for (const [other, seenMs] of this.#recent.entries()) {
      if (nowMs - seenMs <= recentMs) return;
      this.#recent.delete(other);
    }
  }

  /** Reports changes that the previous leader may not have reported, at worst a second time. */
  #onStartedLeading(previous: { readonly renewTimeMs: number } | undefined): void {
    this.#deps.metrics.leader.set(this.#settings.dryRun ? 0 : 1);
    const sinceMs = previous ? previous.renewTimeMs - clockSkewMs : -Infinity;
    for (const [source, seenMs] of this.#recent.entries()) {
      this.#recent.delete(source);
      if (seenMs >= sinceMs) this.#caller.add(source);
    }
  }
}

function wholeOf(source: SourceRecord | undefined): string | undefined {
  return source && hasContent(source) ? source.content.whole() : undefined;
}
