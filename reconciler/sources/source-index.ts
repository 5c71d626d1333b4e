import { BoundedMap } from '../../shared/domain/bounded-map';
import { budgets } from '../../shared/domain/budgets';
import type { InForce } from '../../shared/domain/baseline/comparison';
import { absent, type ContentDigest } from '../../shared/domain/sources/content-digest';
import { objectKey, splitObjectKey, type ObjectKey } from '../../shared/domain/kubernetes/object-key';
import { isOlderVersion } from '../../shared/domain/kubernetes/resource-version';
import {
  hasContent,
  type DigestedSource,
  type SourceKind,
  type SourceRecord,
} from '../../shared/domain/sources/source';
import type { ReflectorSink } from '../../shared/kube/list-watch/reflector';
import type { Clock } from '../../shared/runtime/clock';
import { bytesOfStates, newestStates, unknownOf } from './previous-states';
import { PackedSource } from './packed-source';
import { firstContent, firstSeen, formerContent, inForceAt } from './source-past';
import { changedAtMs, flagsSince, timesOf, type WriteTimeEvidence } from './source-write-times';
import type { SourceFlags } from '../../shared/domain/sources/source';
import {
  withResolvedTimes,
  isPastVersion,
  knownContent,
  noPast,
  statesOf,
  withoutPast,
  type PreviousState,
  type PastVersion,
  type SourceEntry,
} from './source-entry';
import { wholeSecond } from './write-time';

/**
 * A source was created, deleted, or changed in a way that may affect a decision. If `before` or `after` is
 * metadata-only, it is not known whether the content changed.
 */
export interface SourceChange {
  readonly kind: SourceKind;
  readonly namespace: string;
  readonly name: string;
  readonly before: SourceRecord | undefined;
  readonly after: SourceRecord | undefined;
}

export interface SourceIndexListener {
  onChange(change: SourceChange): void;
  /** A list contradicts an earlier read. Another read decides which of the two is current. */
  onInconsistency(kind: SourceKind, namespace: string, name: string): void;
  /** A list was processed completely; `namespace` is undefined for all. A read that began earlier may know less. */
  onListed(kind: SourceKind, namespace: string | undefined): void;
}

/** The states of a source that a read may reveal. */
export interface UnresolvedStates {
  readonly past: readonly PastVersion[];
  /** Undefined: the current content is known, or the source is deleted. */
  readonly now: SourceRecord | undefined;
}

/** At rest, or with state that will not last. */
type Stored = PackedSource | SourceEntry;

/** As long as one watch may lag behind another. Nobody asks for older states. */
const formerKeptMs = 10 * 60_000;

/** A source with a past. */
interface Past {
  readonly kind: SourceKind;
  readonly key: ObjectKey;
}

/**
 * The current state of every source, and those of the recent past: a workload that was created moments before its
 * source changed must be compared with what was in force at its creation, whichever of the two watches is ahead.
 */
export class SourceIndex {
  readonly #clock: Clock;
  readonly #listener: SourceIndexListener;
  readonly #namespaces = new Map<Scope, Map<string, Stored>>();
  /** Entries with a past, oldest first: the first ones are forgotten first. */
  readonly #withPast = new BoundedMap<string, Past>(
    { maxBytes: budgets.formerBytes, maxOwnerBytes: budgets.formerNamespaceBytes },
    (id, past) => this.#forgetContents(id, past),
  );
  /** Entries whose past contents were evicted by others: only their existence is known. In the same order. */
  readonly #withUnknownPast = new BoundedMap<string, Past>(
    { maxBytes: budgets.formerBytes, maxOwnerBytes: budgets.formerNamespaceBytes },
    (_id, { kind, key }) => this.#forgetPast(kind, key),
  );

  constructor(clock: Clock, listener: SourceIndexListener) {
    this.#clock = clock;
    this.#listener = listener;
  }

  get(kind: SourceKind, namespace: string, name: string): SourceRecord | undefined {
    return this.#entry(kind, namespace, name)?.record;
  }

  /**
   * The last annotations of a source that was deleted within the last minutes; undefined: it exists, or was not seen.
   */
  lastKnownFlags(kind: SourceKind, namespace: string, name: string): SourceFlags | undefined {
    return this.#entry(kind, namespace, name)?.lastFlags;
  }

  /** The name of every source of a kind in a namespace, for patterns. */
  *namesIn(kind: SourceKind, namespace: string): Iterable<string> {
    for (const [name, stored] of this.#namespaces.get(scope(kind, namespace)) ?? []) if (isThere(stored)) yield name;
  }

  /** How many sources of a kind a namespace has, or had a moment ago. */
  countIn(kind: SourceKind, namespace: string): number {
    return this.#namespaces.get(scope(kind, namespace))?.size ?? 0;
  }

  /** The number of sources by kind, and roughly how many bytes are kept for them: names and digests, no content. */
  count(): { readonly sources: Readonly<Record<SourceKind, number>>; readonly retainedBytes: number } {
    const sources = { ConfigMap: 0, Secret: 0, SecretProviderClass: 0 };
    let retainedBytes = 0;
    for (const [key, entries] of this.#namespaces) {
      const { kind, namespace } = ofScope(key);
      for (const [name, stored] of entries) {
        if (!isThere(stored)) continue;
        sources[kind]++;
        retainedBytes += namespace.length + name.length + bytesOf(stored);
      }
    }
    return { sources, retainedBytes };
  }

  /** See source-past.ts, also for the next three. */
  inForceAt(
    kind: SourceKind,
    namespace: string,
    name: string,
    sinceMs: number,
    bySearch = false,
  ): InForce | 'metadata-only' {
    return inForceAt(this.#entry(kind, namespace, name), sinceMs, bySearch);
  }

  firstContent(
    kind: SourceKind,
    namespace: string,
    name: string,
  ): ContentDigest | 'unknown' | 'metadata-only' | undefined {
    return firstContent(this.#entry(kind, namespace, name));
  }

  firstSeen(
    kind: SourceKind,
    namespace: string,
    name: string,
  ): ContentDigest | 'unknown' | 'metadata-only' | undefined {
    return firstSeen(this.#entry(kind, namespace, name));
  }

  formerContent(
    kind: SourceKind,
    namespace: string,
    name: string,
    whole: string,
  ): ContentDigest | 'metadata-only' | undefined {
    return formerContent(this.#entry(kind, namespace, name), whole);
  }

  /** The states of a source that a read may reveal; past ones oldest first. */
  unresolved(kind: SourceKind, namespace: string, name: string): UnresolvedStates {
    const entry = this.#entry(kind, namespace, name);
    const past = (entry?.former ?? noPast).flatMap(({ content }) => (isPastVersion(content) ? [content] : []));
    return { past, now: entry?.record?.content === 'metadata-only' ? entry.record : undefined };
  }

  /** The sink for one kind from a reflector. `namespace` is the reflector's scope; undefined: all. */
  sink(kind: SourceKind, namespace: string | undefined, onSynced: () => void): ReflectorSink<SourceRecord> {
    return {
      upsert: (record, origin) => this.#take(record, origin),
      remove: (key, uid, resourceVersion) => this.#takeAbsence(kind, key, uid, resourceVersion),
      keys: () => this.#keys(kind, namespace),
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
  learnPast(
    kind: SourceKind,
    namespace: string,
    name: string,
    { version, until }: PastVersion,
    content: ContentDigest | 'unknown',
  ): void {
    const entry = this.#entry(kind, namespace, name);
    if (!entry) return;
    const former = entry.former.map((state) => {
      const isIt = isPastVersion(state.content) && state.content.version === version && state.content.until === until;
      return isIt ? { ...state, content } : state;
    });
    this.#store(kind, namespace, name, { ...entry, former: this.#bounded(kind, objectKey(namespace, name), former) });
  }

  /** A read by name found nothing. */
  learnAbsence(kind: SourceKind, namespace: string, name: string): void {
    this.#remove(kind, objectKey(namespace, name), undefined);
  }

  #entry(kind: SourceKind, namespace: string, name: string): SourceEntry | undefined {
    const stored = this.#namespaces.get(scope(kind, namespace))?.get(name);
    return stored instanceof PackedSource ? stored.entry(kind, namespace, name) : stored;
  }

  #take(record: SourceRecord, origin: 'list' | 'watch'): void {
    const { kind, namespace, name } = record;
    const entry = this.#entry(kind, namespace, name);
    const known = entry?.isRead === true ? entry.record : undefined;
    const isBehind = known !== undefined && isOlderVersion(record.resourceVersion, known.resourceVersion);
    if (!isBehind) this.#upsert(record, origin);
    // A watch catches up. A list may be from a restored backup, and then what was read no longer exists.
    else if (origin === 'list') this.#listener.onInconsistency(kind, namespace, name);
  }

  /** `uid` and version are undefined if a list does not show the source. */
  #takeAbsence(kind: SourceKind, key: ObjectKey, uid: string | undefined, resourceVersion: string | undefined): void {
    const { namespace, name } = splitObjectKey(key);
    const entry = this.#entry(kind, namespace, name);
    const known = entry?.isRead === true ? entry.record : undefined;
    if (known && uid === undefined) this.#listener.onInconsistency(kind, namespace, name);
    // The source was deselected by its labels, and was selected again by the time of the read.
    else if (known && resourceVersion !== undefined && isOlderVersion(resourceVersion, known.resourceVersion)) return;
    else this.#remove(kind, key, uid, resourceVersion);
  }

  #upsert(shown: SourceRecord, origin: 'list' | 'watch' | 'read'): void {
    this.#forgetOldStates();
    const { kind, namespace, name } = shown;
    const entry = this.#entry(kind, namespace, name);
    const before = entry?.record;
    // The time is compared too: a restored backup issues versions a second time.
    const isSameVersion =
      before?.uid === shown.uid &&
      before.resourceVersion === shown.resourceVersion &&
      before.writtenAtMs === shown.writtenAtMs;
    if (entry && isSameVersion && before.content === 'metadata-only' && hasContent(shown)) {
      this.#store(kind, namespace, name, { ...entry, record: shown });
      return;
    }
    const record = isSameVersion && !hasContent(shown) ? { ...shown, content: before.content } : shown;
    const byRead = origin === 'read';
    const sameFlags = before?.uid !== record.uid || (before.ignore === record.ignore && before.match === record.match);
    const flagTimes = flagsSince(entry, record, wholeSecond(this.#clock.nowMs()));
    const sameContent =
      before && hasContent(before) && hasContent(record) ? record.content.equals(before.content) : isSameVersion;
    if (entry && before?.uid === record.uid && sameContent) {
      this.#store(kind, namespace, name, { ...entry, record, ...flagTimes, isRead: byRead });
      if (sameFlags) return;
    } else {
      const past = this.#pastOf(entry, record.resourceVersion);
      const time = this.#timeOf(entry, record, origin);
      const isEditedSince = entry !== undefined && before?.uid !== record.uid && time.fromMs > record.createdAtMs;
      const all = isEditedSince ? [...past, this.#unknownState(record.createdAtMs)] : past;
      const former = this.#bounded(kind, objectKey(namespace, name), all);
      const isFirstForgotten = before !== undefined && entry?.isFirstForgotten === true;
      this.#store(kind, namespace, name, { record, ...time, ...flagTimes, isRead: byRead, former, isFirstForgotten });
    }
    this.#listener.onChange({ kind, namespace, name, before, after: record });
  }

  #remove(kind: SourceKind, key: ObjectKey, uid: string | undefined, resourceVersion?: string): void {
    this.#forgetOldStates();
    const { namespace, name } = splitObjectKey(key);
    const entry = this.#entry(kind, namespace, name);
    // The deletion of an earlier object, reported late: its successor was already read.
    if (!entry?.record || (uid !== undefined && uid !== entry.record.uid)) return;
    const former = this.#bounded(kind, key, this.#pastOf(entry, resourceVersion));
    const { ignore, match, uid: lastUid } = entry.record;
    const fromMs = this.#clock.nowMs();
    const flagTimes = { heededFromMs: 0, matchesFromMs: 0 };
    const deleted = { record: undefined, fromMs, ...flagTimes, isRead: false, former, isFirstForgotten: false };
    this.#store(kind, namespace, name, { ...deleted, lastFlags: { ignore, match }, lastUid });
    this.#listener.onChange({ kind, namespace, name, before: entry.record, after: undefined });
  }

  /** When the current content came into force, by the API server's clock as far as it shows. */
  #timeOf(
    entry: SourceEntry | undefined,
    record: SourceRecord,
    origin: WriteTimeEvidence['origin'],
  ): Pick<SourceEntry, 'fromMs' | 'dating'> {
    const before = entry?.record;
    const seenMs = wholeSecond(this.#clock.nowMs());
    // A watch may also show an object first that was created long before: its label may have just been added.
    if (before?.uid !== record.uid) {
      const fromMs = Math.max(record.createdAtMs, record.writtenAtMs ?? 0);
      return { fromMs: entry && hasLostKeys(entry, record) ? Math.max(fromMs, seenMs) : fromMs };
    }
    const dating = { origin, ...timesOf(before, record, seenMs) };
    const fromMs = changedAtMs(dating, before.content, record.content);
    return hasContent(before) && hasContent(record) ? { fromMs } : { fromMs, dating };
  }

  /** `until`: the version of the write that ended the state; undefined: a list does not show it. */
  #pastOf(entry: SourceEntry | undefined, until: string | undefined): readonly PreviousState[] {
    if (!entry) return noPast;
    const { record, fromMs, dating } = entry;
    const state = { content: contentUntil(record, until), fromMs, dating, observedMs: this.#clock.monotonicMs() };
    return [...entry.former, state];
  }

  /** As many of the states as fit the budget. States of other sources of the namespace may be evicted. */
  #bounded(kind: SourceKind, key: ObjectKey, states: readonly PreviousState[]): readonly PreviousState[] {
    if (states.length === 0) return states;
    const former = newestStates(states);
    const { namespace } = splitObjectKey(key);
    const id = `${kind}/${key}`;
    this.#withUnknownPast.delete(id);
    this.#withPast.set(id, { kind, key }, bytesOfStates(former), namespace);
    return former;
  }

  /** From then on, comparisons with these contents are in doubt. */
  #forgetContents(id: string, { kind, key }: Past): void {
    const { namespace, name } = splitObjectKey(key);
    const entry = this.#entry(kind, namespace, name);
    if (!entry) return;
    const former = unknownOf(entry.former);
    this.#store(kind, namespace, name, { ...entry, former });
    this.#withUnknownPast.set(id, { kind, key }, bytesOfStates(former), namespace);
  }

  #forgetPast(kind: SourceKind, key: ObjectKey): void {
    const { namespace, name } = splitObjectKey(key);
    const entry = this.#entry(kind, namespace, name);
    if (entry?.record) this.#store(kind, namespace, name, withoutPast(entry));
    else this.#drop(kind, namespace, name);
  }

  /** The content at creation of a source that a list first shows after an edit. */
  #unknownState(fromMs: number): PreviousState {
    return { content: 'unknown', fromMs, observedMs: this.#clock.monotonicMs() };
  }

  #forgetOldStates(): void {
    const oldestMs = this.#clock.monotonicMs() - formerKeptMs;
    for (const past of [this.#withPast, this.#withUnknownPast]) this.#forgetThoseBefore(oldestMs, past);
  }

  #forgetThoseBefore(oldestMs: number, withPast: BoundedMap<string, Past>): void {
    for (const [id, { kind, key }] of withPast.entries()) {
      const { namespace, name } = splitObjectKey(key);
      const newest = this.#entry(kind, namespace, name)?.former.at(-1);
      if (newest && newest.observedMs >= oldestMs) return;
      withPast.delete(id);
      this.#forgetPast(kind, key);
    }
  }

  #store(kind: SourceKind, namespace: string, name: string, entry: SourceEntry): void {
    const key = scope(kind, namespace);
    let entries = this.#namespaces.get(key);
    if (!entries) this.#namespaces.set(key, (entries = new Map<string, Stored>()));
    const known = withResolvedTimes(entry);
    entries.set(name, PackedSource.of(known) ?? known);
  }

  #drop(kind: SourceKind, namespace: string, name: string): void {
    const entries = this.#namespaces.get(scope(kind, namespace));
    entries?.delete(name);
    if (entries?.size === 0) this.#namespaces.delete(scope(kind, namespace));
  }

  *#keys(kind: SourceKind, namespace: string | undefined): Iterable<ObjectKey> {
    for (const key of this.#namespaces.keys()) {
      const found = ofScope(key);
      if (found.kind !== kind || (namespace !== undefined && namespace !== found.namespace)) continue;
      for (const name of this.namesIn(kind, found.namespace)) yield objectKey(found.namespace, name);
    }
  }
}

/** Whether a source that is selected again has lost a key meanwhile, which leaves no time. */
function hasLostKeys({ former, lastUid }: SourceEntry, { uid, content }: SourceRecord): boolean {
  const before = knownContent(former.at(-1)?.content);
  if (lastUid !== uid || !before || content === 'metadata-only') return false;
  return content.differingKeys(before).some((key) => content.key(key) === absent);
}

/** The content of a state that is now past. If a restored backup set versions back, the past cannot be read. */
function contentUntil(record: SourceRecord | undefined, until: string | undefined): PreviousState['content'] {
  if (record?.content !== 'metadata-only') return record?.content;
  const version = record.resourceVersion;
  return until !== undefined && isOlderVersion(version, until) ? { version, until } : 'unknown';
}

function isThere(stored: Stored): boolean {
  return stored instanceof PackedSource || stored.record !== undefined;
}

function bytesOf(stored: Stored): number {
  if (stored instanceof PackedSource) return stored.retainedBytes;
  return statesOf(stored).reduce((sum, { content }) => sum + (knownContent(content)?.retainedBytes ?? 0), 0);
}

/** Sources of one kind in one namespace. */
type Scope = `${SourceKind}/${string}`;

function scope(kind: SourceKind, namespace: string): Scope {
  return `${kind}/${namespace}`;
}

function ofScope(key: Scope): { readonly kind: SourceKind; readonly namespace: string } {
  const slash = key.indexOf('/');
  return { kind: key.slice(0, slash) as SourceKind, namespace: key.slice(slash + 1) };
}
