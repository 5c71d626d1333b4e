import type { InForce } from '../../shared/domain/baseline/comparison';
import { sameGateSettings } from '../../shared/domain/gate-settings/gate-settings';
import type { ContentDigest } from '../../shared/domain/sources/content-digest';
import { everything, type Selector } from '../../shared/domain/kubernetes/selector';
import { splitObjectKey } from '../../shared/domain/kubernetes/object-key';
import { isOlderVersion } from '../../shared/domain/kubernetes/resource-version';
import {
  hasContent,
  type DigestedSource,
  type SourceFlags,
  type SourceKind,
  type SourceRecord,
  type SourceRef,
} from '../../shared/domain/sources/source';
import type { ReflectorSink } from '../../shared/kube/list-watch/reflector';
import type { Clock } from '../../shared/runtime/clock';
import { isPastVersion, noPast, type PastVersion, type PreviousState, type SourceEntry } from './source-entry';
import {
  admittedSinceMs,
  firstContent,
  firstSeen,
  formerContent,
  heldAtBirth,
  heldBefore,
  inForceAt,
} from './source-past';
import { SourceStore } from './source-store';
import { changedAtMs, flagsSince, timesOf, type WriteTimeEvidence } from './source-write-times';
import { StateRetention } from './state-retention';
import { wholeSecond } from './write-time';

/**
 * A source was created, deleted, or changed in a way that may affect a decision. If `before` or `after` is
 * metadata-only, it is not known whether the content changed.
 */
export interface SourceChange extends SourceRef {
  readonly before: SourceRecord | undefined;
  readonly after: SourceRecord | undefined;
}

export interface SourceIndexListener {
  onChange(change: SourceChange): void;
  /** A list contradicts an earlier read. Another read decides which of the two is current. */
  onInconsistency(source: SourceRef): void;
  /** A list of a namespace, or of all (undefined), was processed. A read that began earlier may know less. */
  onListed(kind: SourceKind, namespace: string | undefined): void;
}

/** The states of a source that a read may reveal. */
export interface UnresolvedStates {
  readonly past: readonly PastVersion[];
  /** Undefined: the current content is known, or the source is deleted. */
  readonly now: SourceRecord | undefined;
}

/**
 * Keeps the current state of every source, and those of the recent past. A workload that was created moments before its
 * source changed must be compared with what was in force at its creation, whichever of the two watches is ahead.
 */
export class SourceIndex {
  readonly #clock: Clock;
  readonly #listener: SourceIndexListener;
  readonly #store = new SourceStore();
  readonly #retention: StateRetention;
  readonly #selectsEverything: boolean;

  /** `selector` selects what watches and reads show. */
  constructor(clock: Clock, listener: SourceIndexListener, selector: Pick<Selector, 'isEverything'> = everything) {
    this.#clock = clock;
    this.#listener = listener;
    this.#selectsEverything = selector.isEverything;
    this.#retention = new StateRetention(clock, this.#store);
  }

  get(source: SourceRef): SourceRecord | undefined {
    return this.#store.get(source)?.record;
  }

  /**
   * The last annotations of a source that was deleted within the last minutes; undefined: it exists, or was not seen.
   */
  lastKnownFlags(source: SourceRef): SourceFlags | undefined {
    return this.#store.get(source)?.lastFlags;
  }

  /** See SourceView, also for the next. */
  admittedSinceMs(source: SourceRef, bySearch: boolean): number {
    return admittedSinceMs(this.#store.get(source), bySearch);
  }

  keysSinceMs(source: SourceRef): number {
    return this.#store.get(source)?.keysSinceMs ?? 0;
  }

  /** The name of every source of a kind in a namespace, for patterns. */
  namesIn(kind: SourceKind, namespace: string): Iterable<string> {
    return this.#store.namesIn(kind, namespace);
  }

  /** The sources of a namespace that limit how many of their users roll out at once: mostly none. */
  limitingIn(namespace: string): Iterable<SourceRef> {
    return this.#store.limitingIn(namespace);
  }

  /** How many sources of a kind a namespace has, or had a moment ago. */
  countIn(kind: SourceKind, namespace: string): number {
    return this.#store.countIn(kind, namespace);
  }

  /** The number of sources by kind, and roughly how many bytes are kept for them: names and digests, no content. */
  count(): { readonly sources: Readonly<Record<SourceKind, number>>; readonly retainedBytes: number } {
    return this.#store.count();
  }

  /** See source-past.ts, also for the next five. */
  inForceAt(source: SourceRef, sinceMs: number, bySearch = false): InForce | 'metadata-only' {
    return inForceAt(this.#store.get(source), sinceMs, bySearch);
  }

  heldAtBirth(source: SourceRef, createdAtMs: number): InForce | 'metadata-only' {
    return heldAtBirth(this.#store.get(source), createdAtMs);
  }

  firstContent(source: SourceRef): ContentDigest | 'unknown' | 'metadata-only' | undefined {
    return firstContent(this.#store.get(source));
  }

  firstSeen(source: SourceRef): ContentDigest | 'unknown' | 'metadata-only' | undefined {
    return firstSeen(this.#store.get(source));
  }

  formerContent(source: SourceRef, whole: string): ContentDigest | 'metadata-only' | undefined {
    return formerContent(this.#store.get(source), whole);
  }

  heldBefore(source: SourceRef, whole: string): boolean {
    return heldBefore(this.#store.get(source), whole);
  }

  /** The states of a source that a read may reveal; past ones oldest first. */
  unresolved(source: SourceRef): UnresolvedStates {
    const entry = this.#store.get(source);
    const past = (entry?.former ?? noPast).flatMap(({ content }) => (isPastVersion(content) ? [content] : []));
    return { past, now: entry?.record?.content === 'metadata-only' ? entry.record : undefined };
  }

  /** The sink for one kind from a reflector. `namespace` is the reflector's scope; undefined: all. */
  sink(kind: SourceKind, namespace: string | undefined, onSynced: () => void): ReflectorSink<SourceRecord> {
    return {
      upsert: (record, origin) => this.#take(record, origin),
      remove: (key, uid, version) => this.#takeAbsence({ kind, ...splitObjectKey(key) }, uid, version),
      keys: () => this.#store.keys(kind, namespace),
      synced: () => {
        this.#listener.onListed(kind, namespace);
        onSynced();
      },
    };
  }

  /** Takes the result of a read by name. It is the truth, whatever the watch shows. */
  learn(record: DigestedSource): void {
    this.#upsert(record, 'read');
  }

  /** Takes the result of a read of a past version; `unknown`: the API server no longer has it. */
  learnPast(source: SourceRef, { version, until }: PastVersion, content: ContentDigest | 'unknown'): void {
    const entry = this.#store.get(source);
    if (!entry) return;
    const former = entry.former.map((state) => {
      const isIt = isPastVersion(state.content) && state.content.version === version && state.content.until === until;
      return isIt ? { ...state, content } : state;
    });
    this.#store.set(source, { ...entry, former: this.#retention.retained(source, former) });
  }

  /** A read by name found nothing. */
  learnAbsence(source: SourceRef): void {
    this.#remove(source, undefined, undefined, true);
  }

  /**
   * etcd was restored to about this version, so later writes are undone. Forgets the sources that were written since,
   * and all that are deleted. What pods have mounted from a SecretProviderClass does not come from etcd.
   */
  restored(version: string): void {
    for (const kind of ['ConfigMap', 'Secret'] as const) {
      for (const source of [...this.#store.all(kind)]) {
        const record = this.#store.get(source)?.record;
        if (!record || isOlderVersion(version, record.resourceVersion)) this.#store.delete(source);
      }
    }
  }

  #take(record: SourceRecord, origin: 'list' | 'watch'): void {
    const entry = this.#store.get(record);
    const known = entry?.isRead === true ? entry.record : undefined;
    const isBehind = known !== undefined && isOlderVersion(record.resourceVersion, known.resourceVersion);
    // Labels may select an object again that a read did not find. A deleted one does not come back.
    const isDeleted =
      this.#selectsEverything && entry?.isRead === true && !entry.record && entry.lastUid === record.uid;
    if (!isBehind && !isDeleted) this.#upsert(record, origin);
    // A watch catches up. A list may be from a restored backup, and then what was read no longer exists.
    else if (origin === 'list') this.#listener.onInconsistency(record);
  }

  /** `uid` and version are undefined if a list does not show the source. */
  #takeAbsence(source: SourceRef, uid: string | undefined, resourceVersion: string | undefined): void {
    const entry = this.#store.get(source);
    const known = entry?.isRead === true ? entry.record : undefined;
    if (known && uid === undefined) this.#listener.onInconsistency(source);
    // The event that labels deselected the source is late: it was selected again by the time of the read.
    else if (known && resourceVersion !== undefined && isOlderVersion(resourceVersion, known.resourceVersion)) return;
    else this.#remove(source, uid, resourceVersion);
  }

  #upsert(shown: SourceRecord, origin: 'list' | 'watch' | 'read'): void {
    this.#retention.expire();
    const { kind, namespace, name } = shown;
    const entry = this.#store.get(shown);
    const before = entry?.record;
    // The time is compared too: a restored backup issues versions a second time.
    const isSameVersion =
      before?.uid === shown.uid &&
      before.resourceVersion === shown.resourceVersion &&
      before.writtenAtMs === shown.writtenAtMs;
    if (entry && isSameVersion && before.content === 'metadata-only' && hasContent(shown)) {
      this.#store.set(shown, { ...entry, record: shown });
      return;
    }
    const record = isSameVersion && !hasContent(shown) ? { ...shown, content: before.content } : shown;
    const byRead = origin === 'read';
    const sameFlags =
      before?.uid !== record.uid ||
      (before.ignore === record.ignore &&
        before.match === record.match &&
        sameGateSettings(before.gates, record.gates));
    const flagTimes = flagsSince(entry, record, wholeSecond(this.#clock.nowMs()));
    const sameContent =
      before && hasContent(before) && hasContent(record) ? record.content.equals(before.content) : isSameVersion;
    if (entry && before?.uid === record.uid && sameContent) {
      this.#store.set(record, { ...entry, record, ...flagTimes, isRead: byRead });
      if (sameFlags) return;
    } else {
      const past = this.#pastOf(entry, record.resourceVersion);
      const time = this.#timeOf(entry, record, origin);
      const isEditedSince = entry !== undefined && before?.uid !== record.uid && time.fromMs > record.createdAtMs;
      const all = isEditedSince ? [...past, this.#unknownState(record.createdAtMs)] : past;
      const former = this.#retention.retained(record, all);
      const isFirstForgotten = before !== undefined && entry?.isFirstForgotten === true;
      this.#store.set(record, { record, ...time, ...flagTimes, isRead: byRead, former, isFirstForgotten });
    }
    this.#listener.onChange({ kind, namespace, name, before, after: record });
  }

  #remove(source: SourceRef, uid: string | undefined, resourceVersion?: string, isRead = false): void {
    this.#retention.expire();
    const { kind, namespace, name } = source;
    const entry = this.#store.get(source);
    // The deletion of an earlier object, reported late: its successor was already read.
    if (!entry?.record || (uid !== undefined && uid !== entry.record.uid)) return;
    const former = this.#retention.retained(source, this.#pastOf(entry, resourceVersion));
    const { ignore, match, uid: lastUid } = entry.record;
    const fromMs = this.#clock.nowMs();
    const flagTimes = { ignoreSinceMs: 0, matchSinceMs: 0, keysSinceMs: 0 };
    const deleted = { record: undefined, fromMs, ...flagTimes, isRead, former, isFirstForgotten: false };
    this.#store.set(source, { ...deleted, lastFlags: { ignore, match }, lastUid });
    this.#listener.onChange({ kind, namespace, name, before: entry.record, after: undefined });
  }

  /** When the current content came into force, by the API server's clock as far as it shows. */
  #timeOf(
    entry: SourceEntry | undefined,
    record: SourceRecord,
    origin: WriteTimeEvidence['origin'],
  ): Pick<SourceEntry, 'fromMs' | 'evidence' | 'reappeared'> {
    const before = entry?.record;
    const seenMs = wholeSecond(this.#clock.nowMs());
    if (before?.uid !== record.uid) {
      const fromMs = Math.max(record.createdAtMs, record.writtenAtMs ?? 0);
      // A watch shows each write, and so what an object held at its creation, unless labels had deselected it meanwhile.
      if (!entry || (origin === 'watch' && entry.lastUid !== record.uid)) return { fromMs };
      const { createdAtMs } = record;
      return { fromMs, reappeared: { createdAtMs, seenMs, observedMs: this.#clock.monotonicMs() } };
    }
    const evidence = { origin, ...timesOf(before, record, seenMs) };
    const fromMs = changedAtMs(evidence, before.content, record.content);
    return hasContent(before) && hasContent(record) ? { fromMs } : { fromMs, evidence };
  }

  /** The past, with the state that ends now. `until`: the version of the write that ended it; undefined: not known. */
  #pastOf(entry: SourceEntry | undefined, until: string | undefined): readonly PreviousState[] {
    if (!entry) return noPast;
    const { record, fromMs, evidence, reappeared } = entry;
    const content = contentUntil(record, until);
    return [...entry.former, { content, fromMs, evidence, reappeared, observedMs: this.#clock.monotonicMs() }];
  }

  /** The content at creation of a source that a list first shows after an edit. */
  #unknownState(fromMs: number): PreviousState {
    return { content: 'unknown', fromMs, observedMs: this.#clock.monotonicMs() };
  }
}

/** The content of a state that is now past. If a restored backup set versions back, the past cannot be read. */
function contentUntil(record: SourceRecord | undefined, until: string | undefined): PreviousState['content'] {
  if (record?.content !== 'metadata-only') return record?.content;
  const version = record.resourceVersion;
  return until !== undefined && isOlderVersion(version, until) ? { version, until } : 'unknown';
}
