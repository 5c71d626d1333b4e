import { BoundedMap } from '../../shared/domain/bounded-map';
import { budgets } from '../../shared/domain/budgets';
import type { ContentDigester } from '../../shared/domain/sources/content-digest';
import { hasContent, type SourceKind, type SourceRecord } from '../../shared/domain/sources/source';
import type { EngineSettings } from '../options/engine-settings';
import type { EngineDeps } from '../engine/engine-deps';
import { countEvent, countPassedOver } from '../reporting/event-counts';
import { whatHappened } from '../reporting/event-labels';
import type { Receipt } from '../hints/change-record-intake';
import { CsiRotations } from '../sources/csi-rotations';
import { electionFor, type Election } from '../engine/election';
import type { ReconcilerEngine } from '../engine/reconciler-engine';
import { observeSources, observeWatches, reflectorObserver } from '../engine/observers';
import { NamespaceScope } from '../workloads/namespace-scope';
import type { PostTransport } from '../outbound/post-transport';
import { SourceIndex, type SourceChange } from '../sources/source-index';
import { Watches, type WatchStatus } from '../watch/watches';
import { WebhookCaller, sourceKey } from './webhook-caller';

/** Longer than it takes another replica to see that the leader is gone. */
const recentMs = 60_000;

/** By so much the clock of the former leader may be ahead of ours. */
const clockSkewMs = 10_000;

/**
 * Webhook mode: calls a receiver for each change of a source, and restarts nothing. No workload is watched and nothing is
 * written, so a change that was made while no replica ran is not known. See docs/reloader-compatibility.md, 14.3.
 */
export class NotifyingEngine implements ReconcilerEngine {
  readonly #deps: EngineDeps;
  readonly #settings: EngineSettings;
  readonly #sources: SourceIndex;
  readonly #scope: NamespaceScope;
  readonly #watches: Watches;
  readonly #caller: WebhookCaller;
  readonly #election: Election;
  #knownKinds: ReadonlySet<SourceKind> = new Set();
  /** What changed lately, by the wall clock, oldest first: the leader may have died before it could call. */
  readonly #recent = new BoundedMap<string, number>({
    maxBytes: budgets.attributionBytes,
    maxOwnerBytes: budgets.attributionNamespaceBytes,
  });

  constructor(deps: EngineDeps, settings: EngineSettings, digester: ContentDigester, transport: PostTransport) {
    this.#deps = deps;
    this.#settings = settings;
    const { client, clock, random, logger, metrics } = deps;
    this.#sources = new SourceIndex(clock, {
      onChange: (change) => this.#onSourceChange(change),
      // Only a read by name raises doubt, and none is made here.
      onInconsistency: () => undefined,
      onListed: () => undefined,
    });
    observeSources(metrics, this.#sources);
    this.#scope = new NamespaceScope({ clock, logger, selector: settings.namespaceSelector, forget: () => [] });
    this.#watches = new Watches({
      deps: { client, clock, random, logger },
      ...settings,
      ...{ digester, sources: this.#sources, workloads: undefined, scope: this.#scope },
      // Every source is told of, and which of them has changed while no watch ran, only the contents tell.
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

  /** Nothing is recorded, so it is the same to it whose key it has. */
  get keyIsShared(): boolean {
    return this.#deps.keyIsShared ?? true;
  }

  get election(): Pick<Election, 'problem' | 'remark'> {
    return this.#election;
  }

  watchStatuses(): readonly WatchStatus[] {
    return this.#watches.statuses();
  }

  /** Nothing is restarted here, so there is nothing to tell. */
  get questions(): undefined {
    return undefined;
  }

  /** Of no use here: a call names neither source nor author. */
  accept(records: readonly unknown[]): Receipt {
    return { accepted: 0, refused: records.length, full: false };
  }

  /** No baseline is recorded under any key. */
  useSharedKey(): boolean {
    return true;
  }

  start(): void {
    this.#deps.logger.warn('--webhook-url is set: changes are told to it, and no workload is restarted');
    this.#watches.start();
    this.#election.start({
      onStartedLeading: (previous) => this.#onStartedLeading(previous),
      onStoppedLeading: () => this.#deps.metrics.leader.set(0),
      onRestored: () => {
        void this.#watches.listSourcesAgain();
        void this.#watches.listOthersAgain();
      },
    });
  }

  async stop(): Promise<void> {
    await Promise.all([this.#watches.stop(), this.#caller.stop()]);
    await this.#election.stop();
  }

  /** Nor is anything news before it is known which namespaces are selected. */
  #onProgress(): void {
    this.#knownKinds = this.#scope.isKnown ? this.#watches.knownKinds() : new Set();
    if (this.#watches.hasSynced()) this.#deps.onListed?.();
  }

  #onSourceChange(change: SourceChange): void {
    const { kind, namespace, name } = change;
    // Before its first list is complete, a kind's sources are not news.
    if (!this.#knownKinds.has(kind)) return;
    const { metrics } = this.#deps;
    if (!this.#scope.isSelected(namespace)) {
      countPassedOver(metrics, change);
      return;
    }
    countEvent(metrics, change);
    if (!this.#isToldOf(change)) return;
    const source = sourceKey(kind, namespace, name);
    if (this.#mayCall(source)) this.#caller.add(source);
  }

  /** What must not be told now may be owed when the Lease comes, or comes back. */
  #mayCall(source: string): boolean {
    if (this.#election.isLeader()) return true;
    this.#remember(source);
    return false;
  }

  /** Annotations count for nothing, as in Reloader: also what is marked to be ignored is told of. */
  #isToldOf(change: SourceChange): boolean {
    const { reloadOnCreate, reloadOnDelete } = this.#settings;
    switch (whatHappened(change)) {
      case 'created':
        return reloadOnCreate;
      case 'deleted':
        // Without its class nothing is rotated any more, and what was mounted stays.
        return reloadOnDelete && change.kind !== 'SecretProviderClass';
      case 'changed':
        return wholeOf(change.before) !== wholeOf(change.after);
    }
  }

  #remember(source: string): void {
    const nowMs = this.#deps.clock.nowMs();
    this.#recent.set(source, nowMs, source.length, source.slice(0, source.indexOf('/')));
    for (const [other, seenMs] of this.#recent.entries()) {
      if (nowMs - seenMs <= recentMs) return;
      this.#recent.delete(other);
    }
  }

  /** What the former leader may not have lived to tell is told, at worst a second time. */
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
