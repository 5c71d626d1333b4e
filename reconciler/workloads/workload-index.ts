import { formatBaseline, type Baseline } from '../../shared/domain/baseline/baseline';
import type { AnnotationKeys } from '../../shared/domain/annotations/annotations';
import { sameGateSettings } from '../../shared/domain/gate-settings/gate-settings';
import { splitObjectKey, type ObjectKey } from '../../shared/domain/kubernetes/object-key';
import { isOlderVersion } from '../../shared/domain/kubernetes/resource-version';
import { whyUntracked } from '../../shared/domain/plan/why-untracked';
import type { PolicySettings } from '../../shared/domain/policy/policy';
import type { UntrackedReason } from '../../shared/domain/protocol/workload-inspection';
import { sourceId, type SourceId, type SourceRecord, type SourceRef } from '../../shared/domain/sources/source';
import { managedFieldsOf } from '../../shared/domain/workloads/managed-fields';
import { isTrackedAlike, trackingSignature, type WorkloadRecord } from '../../shared/domain/workloads/workload';
import type { WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import type { ReflectorSink } from '../../shared/kube/list-watch/reflector';
import type { Clock } from '../../shared/runtime/clock';
import { workloadKey, type TrackedWorkload, type WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import type { DigestKeyring } from '../sources/digest-keyring';
import { NamespaceRevisions } from './namespace-revisions';
import { unrecordedSince } from './unrecorded-since';
import { referencedSince, untrackedOf } from './referenced-since';
import { SourceUsers } from './source-users';
import { storedBaseline } from './stored-baseline';
import { awaitedAfter, awaitedNoMore, awaitedSince, predates } from './awaited-version';
import {
  differs,
  knownBaseline,
  outdoes,
  recordsSame,
  withRestartOf,
  type ReadBaseline,
  type UntrackedEntry,
  type WorkloadEntry,
  type WrittenVersion,
} from './workload-entry';

export interface WorkloadIndexOptions {
  readonly clock: Clock;
  readonly keys: Pick<DigestKeyring, 'isOwn' | 'isShared'>;
  /** Dry run: the baselines on the objects belong to the install that acts, so they are ignored. */
  readonly ignoreStored?: boolean;
  readonly policy: PolicySettings;
  readonly annotationKeys: AnnotationKeys;
  /** Changes in a namespace before this time do not count: see NamespaceScope. */
  readonly selectedSinceMs: (namespace: string) => number;
  /** The time since which no other replica writes, by the API server's clock; undefined: this replica does not lead. */
  readonly leadingSinceMs: () => number | undefined;
  /** A tracked workload appeared, or changed in a way that may affect a decision. */
  readonly onChange: (workload: TrackedWorkload) => void;
  /** A tracked workload was shown or written, whatever about it is new. */
  readonly onSeen?: (workload: TrackedWorkload) => void;
  /** A workload is gone, or no longer uses or names the sources that this former state of it does. */
  readonly onLeft?: (former: TrackedWorkload) => void;
  /**
   * A workload that nothing may restart was seen. Invalid annotations may be the cause, so its problems must be
   * reported.
   */
  readonly onUntracked: (workload: Pick<TrackedWorkload, 'key' | 'record'>) => void;
  /** A workload is deleted or no longer tracked. */
  readonly onGone: (key: WorkloadKey, uid: string) => void;
}

/** What a restart writes besides the template and the baseline. */
export type WrittenFields = Partial<Pick<WorkloadRecord, 'pause' | 'lastRestart' | 'progress'>>;

const nothing: ReadonlyMap<SourceId, string> = new Map();

/** Every tracked workload, and the users of each source. */
export class WorkloadIndex {
  readonly #options: WorkloadIndexOptions;
  readonly #entries = new Map<WorkloadKey, WorkloadEntry>();
  /** Workloads that do not opt in. A later opt-in gets the time of its write, not of the workload's creation. */
  readonly #untracked = new Map<WorkloadKey, UntrackedEntry>();
  readonly #users = new SourceUsers();
  readonly #revisions = new NamespaceRevisions();
  #timesForgotten = 0;

  constructor(options: WorkloadIndexOptions) {
    this.#options = options;
  }

  get(key: WorkloadKey): TrackedWorkload | undefined {
    return this.#entries.get(key);
  }

  /** Why nothing may restart a workload that was seen; undefined: it is tracked, or was not seen. */
  untrackedBecause(key: WorkloadKey): UntrackedReason | undefined {
    return this.#untracked.get(key)?.because;
  }

  tracked(): Iterable<TrackedWorkload> {
    return this.#entries.values();
  }

  /** The number of workloads of a kind that a source may restart, and of the others. */
  count(kind: WorkloadKindName): { readonly tracked: number; readonly untracked: number } {
    const ofKind = (keys: Iterable<WorkloadKey>): number => {
      let count = 0;
      for (const key of keys) if (key.startsWith(`${kind}/`)) count++;
      return count;
    };
    return { tracked: ofKind(this.#entries.keys()), untracked: ofKind(this.#untracked.keys()) };
  }

  /** Workloads that a change of this source may concern. */
  usersOf(source: SourceRef): readonly TrackedWorkload[] {
    return [...this.#users.of(source)].flatMap((key) => this.#entries.get(key) ?? []);
  }

  /** Another number as soon as a workload of the namespace comes, goes, uses other sources or has other gate settings. */
  revisionOf(namespace: string): number {
    return this.#revisions.of(namespace);
  }

  /** Something else about the users of sources of the namespace is different. */
  revise(namespace: string): void {
    this.#revisions.revise(namespace);
  }

  /**
   * Whether a watch or a list has shown a later version of the workload. A list that follows comes from etcd itself, so
   * it shows an older one only after a restore. What Reroll has written or read itself may be later than a list.
   */
  hasShownLater({ kind, namespace, name, uid, resourceVersion }: WorkloadRecord): boolean {
    const entry = this.#entries.get(workloadKey(kind, namespace, name));
    if (entry?.record.uid !== uid || entry.awaited) return false;
    return isOlderVersion(resourceVersion, entry.record.resourceVersion);
  }

  /**
   * The workload was read by name before any watch or list has shown it. A list that is under way may have begun before the
   * read, and then shows an older version.
   */
  readFirst({ kind, namespace, name, resourceVersion }: WorkloadRecord): void {
    const entry = this.#entries.get(workloadKey(kind, namespace, name));
    if (entry?.record.resourceVersion !== resourceVersion || entry.awaited) return;
    const awaited = awaitedSince(resourceVersion, this.#options.clock.monotonicMs());
    this.#entries.set(entry.key, { ...entry, awaited });
  }

  /** Changes when etcd was restored. A write that began before that may be undone, whatever its answer says. */
  get timesForgotten(): number {
    return this.#timesForgotten;
  }

  /**
   * Records our own write, so that older states from the watch do not replace it. `wrote` is what else it changed. If it was
   * stored without its baseline, that is kept in memory.
   */
  wrote(workload: TrackedWorkload, stored: WrittenVersion, baseline: Baseline, wrote: WrittenFields = {}): void {
    const entry = this.#entries.get(workload.key);
    if (entry?.record.uid !== workload.record.uid) return;
    // The watch can be faster than the answer, and may already show what followed our write.
    if (entry.baseline && entry.baseline.sequence >= baseline.sequence) return;
    // The index shows another version, without our baseline: a list may show a state after our write without ever
    // showing our write, and no further event may follow.
    if (entry.record.resourceVersion !== workload.record.resourceVersion) {
      if (stored.lacksBaseline) {
        this.#keep(entry, baseline);
        return;
      }
      const undone = { ...entry, baseline, baselineLost: true };
      this.#entries.set(workload.key, undone);
      this.#options.onChange(undone);
      return;
    }
    const { resourceVersion, generation = entry.record.generation } = stored;
    const times = managedFieldsOf({ metadata: stored }).map(({ timeMs }) => timeMs ?? 0);
    const written = {
      ...entry,
      record: { ...entry.record, ...{ resourceVersion, generation }, ...wrote },
      awaited: awaitedSince(resourceVersion, this.#options.clock.monotonicMs()),
      ownWriteAtMs: Math.max(entry.ownWriteAtMs, ...times),
    };
    if (stored.lacksBaseline) {
      this.#keep(written, baseline);
      return;
    }
    this.#entries.set(workload.key, {
      ...written,
      record: { ...written.record, baselineText: formatBaseline(baseline) },
      ...{ baseline, baselineProblem: undefined, baselineLost: false },
      ...{ keptOver: undefined, unwritten: false },
    });
  }

  /**
   * A source is shown for the first time, or again. If it is older than the workload, only the order shows that it came
   * later: it may be of the same second, and the removal of a label that excluded it leaves no time.
   */
  sourceShown(key: WorkloadKey, source: SourceRecord): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    const { referencedSinceMs: since } = entry;
    if (source.createdAtMs > (typeof since === 'number' ? since : since.createdAtMs)) return;
    const shownSince = new Map(entry.shownSince).set(sourceId(source), source.resourceVersion);
    this.#entries.set(key, { ...entry, shownSince });
  }

  /**
   * Keeps a baseline that is not written to the object: in a dry run, because a permission is missing, or because something
   * removes it from the write.
   */
  remember(workload: TrackedWorkload, baseline: Baseline): void {
    const entry = this.#entries.get(workload.key);
    if (entry?.record.uid !== workload.record.uid) return;
    // An outdated list showed the object without it. By now the object is known to have the same baseline.
    if (entry.keptOver === undefined && !entry.baselineLost && recordsSame(entry.baseline, baseline)) return;
    this.#keep(entry, baseline);
  }

  /**
   * Reroll's write was stored as version `stored` without its restart, so its record is wrong, and `baseline` counts
   * instead. Unlike {@link remember}, this applies even if the entry records the same: the watch may not have shown our
   * write yet. What it shows before that records the same, too, and says nothing about what is stored now.
   */
  takeBack(workload: TrackedWorkload, baseline: Baseline, stored: string): void {
    const entry = this.#entries.get(workload.key);
    if (entry?.record.uid !== workload.record.uid) return;
    const awaited = awaitedSince(stored, this.#options.clock.monotonicMs());
    this.#keep({ ...entry, awaited, keptOver: baseline.sequence - 1 }, baseline);
  }

  #keep(entry: WorkloadEntry, baseline: Baseline): void {
    this.#entries.set(entry.key, {
      ...entry,
      baseline,
      baselineProblem: undefined,
      baselineLost: false,
      keptOver: entry.keptOver ?? baseline.sequence - 1,
      unwritten: this.#options.ignoreStored !== true,
    });
  }

  /** Parses baselines under the other digest key again, because that key is known now. */
  rereadUnderOtherKey(): void {
    for (const { record, underOtherKey } of [...this.#entries.values()])
      if (underOtherKey) this.#upsert(record, 'list');
  }

  /** Called before the workload is shown again: its former state does not date when it began to ask for restarts. */
  seeAnew(key: WorkloadKey): void {
    this.#untracked.delete(key);
  }

  /**
   * With `uid`, only if the workload still has that uid: the deletion of an earlier one may be reported after its
   * successor was read.
   */
  remove(key: WorkloadKey, uid?: string): void {
    const entry = this.#entries.get(key);
    const known = entry?.record.uid ?? this.#untracked.get(key)?.uid;
    if (known === undefined || (uid !== undefined && uid !== known)) return;
    this.#untracked.delete(key);
    this.#entries.delete(key);
    if (entry) {
      this.#users.remove(key, entry.record);
      this.#revisions.went(entry.record.namespace);
      this.#options.onLeft?.(entry);
    }
    this.#options.onGone(key, known);
  }

  /** Forgets the tracked workloads of a namespace, and returns what was known about them. */
  forgetNamespace(namespace: string): readonly WorkloadRecord[] {
    const records = [...this.#entries.values()].map(({ record }) => record);
    const concerned = records.filter((record) => record.namespace === namespace);
    for (const { kind, name } of concerned) this.remove(workloadKey(kind, namespace, name));
    return concerned;
  }

  /**
   * After a restore of etcd, the state of the objects counts even if it is older than what was seen, because their pods
   * are restored too. Only workloads whose baseline is kept in memory stay, and any baseline that is stored counts more.
   */
  forgetSeen(): void {
    this.#timesForgotten++;
    for (const entry of [...this.#entries.values()]) {
      const { key, keptOver, baseline } = entry;
      if (keptOver === undefined || !baseline) this.remove(key);
      else
        this.#entries.set(key, {
          ...entry,
          ...{ baseline: { ...baseline, sequence: 0 }, keptOver: -1 },
          awaited: awaitedNoMore(entry.record),
        });
    }
    this.#untracked.clear();
  }

  /** The sink for one kind from a reflector. `namespace` is the reflector's scope; undefined: all. */
  sink(kind: WorkloadKindName, namespace: string | undefined, onSynced: () => void): ReflectorSink<WorkloadRecord> {
    return {
      upsert: (record, origin) => this.#upsert(record, origin),
      remove: (key, uid) => {
        const { namespace, name } = splitObjectKey(key);
        this.remove(workloadKey(kind, namespace, name), uid);
      },
      keys: () => this.#keys(kind, namespace),
      synced: onSynced,
    };
  }

  #upsert(record: WorkloadRecord, origin: 'list' | 'watch'): void {
    const key = workloadKey(record.kind, record.namespace, record.name);
    const nowMs = this.#options.clock.monotonicMs();
    // It may be of the object that had the name before the one that was read or written.
    const { awaited } = this.#entries.get(key) ?? this.#untracked.get(key) ?? {};
    if (origin === 'watch' && predates(awaited, record, nowMs)) return;
    // A list shows no deletion, only the object that has the name now. What is known of the one before is not about it.
    const knownUid = this.#entries.get(key)?.record.uid ?? this.#untracked.get(key)?.uid;
    if (knownUid !== undefined && knownUid !== record.uid) this.remove(key);
    const previous = this.#entries.get(key);
    const shown = previous ?? this.#untracked.get(key);
    const because = whyUntracked(record, this.#options.policy);
    if (because !== undefined) {
      const isRead = origin === 'list' && (previous ?? shown?.awaited) !== undefined;
      if (previous) this.remove(key);
      this.#untracked.set(key, {
        ...untrackedOf(record),
        ...{ because, awaited: isRead ? awaitedSince(record.resourceVersion, nowMs) : undefined },
      });
      this.#options.onUntracked({ key, record });
      return;
    }
    const entry = this.#entryOf(key, record, previous, origin);
    this.#untracked.delete(key);
    this.#entries.set(key, entry);
    if (entry.signature !== previous?.signature) {
      if (previous) this.#users.remove(key, previous.record);
      this.#users.add(key, record);
      if (previous) this.#options.onLeft?.(previous);
    }
    if (!previous) this.#revisions.came(record.namespace);
    else if (entry.signature !== previous.signature || !sameGateSettings(previous.record.gates, record.gates))
      this.revise(record.namespace);
    this.#options.onSeen?.(entry);
    if (!previous || differs(previous, entry)) this.#options.onChange(entry);
  }

  #entryOf(
    key: WorkloadKey,
    record: WorkloadRecord,
    previous: WorkloadEntry | undefined,
    origin: 'list' | 'watch',
  ): WorkloadEntry {
    const known = knownBaseline(previous, record);
    const read: ReadBaseline = known ? { baseline: known, problem: undefined } : this.#stored(record);
    // What is kept in memory need not be written if the object turns out to record the same.
    const isWritten = previous?.keptOver !== undefined && recordsSame(previous.baseline, read.baseline);
    const counting = !isWritten && outdoes(previous, read.baseline) ? previous : undefined;
    const keptOver = counting?.keptOver;
    const nowMs = this.#options.clock.monotonicMs();
    const ahead = predates(counting?.awaited, record, nowMs) ? counting : undefined;
    const isAlike = previous !== undefined && isTrackedAlike(previous.record, record);
    const signature = isAlike ? previous.signature : trackingSignature(record);
    const underOtherKey = read.underOtherKey === true;
    const referencedSinceMs = referencedSince({
      record,
      signature,
      origin,
      underOtherKey,
      previous,
      untracked: this.#untracked.get(key),
      nowMs: this.#options.clock.nowMs(),
      selectedSinceMs: this.#options.selectedSinceMs(record.namespace),
      leadingSinceMs: this.#options.leadingSinceMs(),
    });
    const isSince = previous && previous.referencedSinceMs === referencedSinceMs ? previous : undefined;
    const { policy } = this.#options;
    return {
      key,
      record: ahead ? withRestartOf(ahead, record) : record,
      signature,
      baseline: counting?.baseline ?? read.baseline,
      baselineProblem: keptOver === undefined ? read.problem : undefined,
      baselineLost: counting !== undefined && keptOver === undefined,
      underOtherKey,
      referencedSinceMs,
      referencedSinceVersion: isSince?.referencedSinceVersion ?? record.resourceVersion,
      shownSince: isSince?.shownSince ?? nothing,
      unrecordedSince: isSince?.unrecordedSince ?? unrecordedSince(previous, record, policy),
      awaited: ahead?.awaited ?? (origin === 'list' && previous ? awaitedAfter(previous, record, nowMs) : undefined),
      ownWriteAtMs: previous?.ownWriteAtMs ?? 0,
      keptOver,
      unwritten: keptOver !== undefined && counting?.unwritten === true,
    };
  }

  #stored(record: WorkloadRecord): ReadBaseline {
    const { ignoreStored, keys } = this.#options;
    return ignoreStored === true ? { problem: undefined } : storedBaseline(record, keys);
  }

  *#keys(kind: WorkloadKindName, namespace: string | undefined): Iterable<ObjectKey> {
    const prefix = namespace === undefined ? `${kind}/` : `${kind}/${namespace}/`;
    for (const keys of [this.#entries.keys(), this.#untracked.keys()]) {
      for (const key of keys) if (key.startsWith(prefix)) yield key.slice(kind.length + 1);
    }
  }
}
