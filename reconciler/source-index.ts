import type { InForce } from '../shared/domain/comparison';
import { absent, type ContentDigest } from '../shared/domain/content-digest';
import { objectKey, splitObjectKey, type ObjectKey } from '../shared/domain/object-key';
import { isOlderVersion } from '../shared/domain/resource-version';
import type { SourceKind, SourceRecord } from '../shared/domain/source';
import type { ReflectorSink } from '../shared/kube/reflector';
import type { Clock } from '../shared/runtime/clock';
import { PackedSource } from './packed-source';
import { knownContent, noPast, type FormerState, type SourceEntry, type SourceFlags } from './source-entry';

/** A source came, went, or changed in a way that a decision may depend on. */
export interface SourceChange {
  readonly kind: SourceKind;
  readonly namespace: string;
  readonly name: string;
  readonly before: SourceRecord | undefined;
  readonly after: SourceRecord | undefined;
}

export interface SourceIndexListener {
  onChange(change: SourceChange): void;
  /** A list contradicts a read before it; which of the two is today's, another read tells. */
  onDoubt(kind: SourceKind, namespace: string, name: string): void;
  /** A list has been taken whole; `namespace` is undefined for all. A read that began before it may know less. */
  onListed(kind: SourceKind, namespace: string | undefined): void;
}

/** At rest, or with something to it that will not stay. */
type Stored = PackedSource | SourceEntry;

/** As long as one watch may lag behind another: what is older is not asked for any more. */
const formerKeptMs = 10 * 60_000;
/** A source that changes faster than this is asked for its recent past only. */
const maxFormer = 32;

/**
 * Today's state of every source, and that of the recent past: a workload that was created moments before its source
 * changed is to be compared with what was in force at its creation, whichever of the two watches is ahead.
 */
export class SourceIndex {
  readonly #clock: Clock;
  readonly #listener: SourceIndexListener;
  readonly #namespaces = new Map<Scope, Map<string, Stored>>();
  /** Entries with a past, in the order in which they got it: what is to be forgotten stands first. */
  readonly #withPast = new Map<string, { readonly kind: SourceKind; readonly key: ObjectKey }>();

  constructor(clock: Clock, listener: SourceIndexListener) {
    this.#clock = clock;
    this.#listener = listener;
  }

  get(kind: SourceKind, namespace: string, name: string): SourceRecord | undefined {
    return this.#entry(kind, namespace, name)?.record;
  }

  /** What a source that went within the last minutes said of itself; undefined where it is there, or was not seen. */
  flagsOfGone(kind: SourceKind, namespace: string, name: string): SourceFlags | undefined {
    return this.#entry(kind, namespace, name)?.lastFlags;
  }

  /** The name of every source of a kind in a namespace, for patterns. */
  *namesIn(kind: SourceKind, namespace: string): Iterable<string> {
    for (const [name, stored] of this.#namespaces.get(scope(kind, namespace)) ?? []) if (isThere(stored)) yield name;
  }

  /** Every source of a kind in a namespace. */
  *inNamespace(kind: SourceKind, namespace: string): Iterable<SourceRecord> {
    for (const name of this.namesIn(kind, namespace)) {
      const record = this.get(kind, namespace, name);
      if (record) yield record;
    }
  }

  /** Whether another namespace has a source of this name. */
  isElsewhere(kind: SourceKind, namespace: string, name: string): boolean {
    for (const [key, entries] of this.#namespaces) {
      if (!key.startsWith(`${kind}/`) || key === scope(kind, namespace)) continue;
      const stored = entries.get(name);
      if (stored && isThere(stored)) return true;
    }
    return false;
  }

  /** Sources by kind, and about how many bytes are kept of all of them: names and digests, no content. */
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

  /**
   * The state in force at `sinceMs`, a time of the API server's clock in whole seconds; infinity asks for today's.
   *
   * Within one second the order of two writes is not known. Then the older state is taken: at worst one restart too
   * many, never a change missed. A source that was admitted later by an annotation of its own counts from then on.
   */
  inForceAt(kind: SourceKind, namespace: string, name: string, sinceMs: number): InForce {
    const entry = this.#entry(kind, namespace, name);
    if (!entry) return { content: undefined };
    const second = Math.floor(Math.max(sinceMs, entry.flagsFromMs) / 1000) * 1000;
    let next: Pick<FormerState, 'content' | 'fromMs'> | undefined;
    for (const state of [...entry.former, { content: entry.record?.content, fromMs: entry.fromMs }].toReversed()) {
      if (state.fromMs < second) {
        // Created within the second: pods cannot start without it, so those of a workload born then have read it.
        const createdThen = state.content === undefined && next && next.fromMs < second + 1000;
        const content = createdThen ? next?.content : state.content;
        return content === 'unknown' ? content : { content };
      }
      next = state;
    }
    const oldest = entry.former[0] ?? { content: entry.record?.content, fromMs: entry.fromMs };
    const createdAtMs = entry.record?.createdAtMs;
    // Its first content: pods cannot start without it, so those of a workload born in the same second have read it.
    if (oldest.fromMs !== createdAtMs || oldest.content === 'unknown') return 'unknown';
    return { content: createdAtMs > second ? undefined : oldest.content };
  }

  /** What a source was created with; `unknown` where it was edited before it was first seen. */
  firstContent(kind: SourceKind, namespace: string, name: string): ContentDigest | 'unknown' | undefined {
    const entry = this.#entry(kind, namespace, name);
    if (!entry?.record) return undefined;
    const absentUntil = entry.former.findLastIndex(({ content }) => content === undefined);
    const first = entry.former[absentUntil + 1] ?? { content: entry.record.content, fromMs: entry.fromMs };
    return first.fromMs > entry.record.createdAtMs ? 'unknown' : first.content;
  }

  /** A content of the recent past by the digest of its whole. */
  formerContent(kind: SourceKind, namespace: string, name: string, whole: string): ContentDigest | undefined {
    const past = this.#entry(kind, namespace, name)?.former ?? [];
    return knownContent(past.findLast(({ content }) => knownContent(content)?.whole() === whole)?.content);
  }

  /** Receives one kind from a reflector; `namespace` is the reflector's scope, undefined for all. */
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

  /** Takes what a read by name has shown: it is the truth, whatever the watch shows. */
  learn(record: SourceRecord): void {
    this.#upsert(record, 'read');
  }

  /** Takes that a read by name has found nothing. */
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
    // A watch catches up. A list may be what a restored backup holds, and then what was read is no more.
    else if (origin === 'list') this.#listener.onDoubt(kind, namespace, name);
  }

  /** `uid` and version are undefined where a list does not show it. */
  #takeAbsence(kind: SourceKind, key: ObjectKey, uid: string | undefined, resourceVersion: string | undefined): void {
    const { namespace, name } = splitObjectKey(key);
    const entry = this.#entry(kind, namespace, name);
    const known = entry?.isRead === true ? entry.record : undefined;
    if (known && uid === undefined) this.#listener.onDoubt(kind, namespace, name);
    // Left out by its labels, and selected again by the time of the read.
    else if (known && resourceVersion !== undefined && isOlderVersion(resourceVersion, known.resourceVersion)) return;
    else this.#remove(kind, key, uid);
  }

  #upsert(record: SourceRecord, origin: 'list' | 'watch' | 'read'): void {
    this.#forgetOldStates();
    const { kind, namespace, name } = record;
    const entry = this.#entry(kind, namespace, name);
    const before = entry?.record;
    const isRead = origin === 'read';
    const sameFlags = before?.uid !== record.uid || (before.ignore === record.ignore && before.match === record.match);
    const flagsFromMs = sameFlags ? (entry?.flagsFromMs ?? 0) : (record.writtenAtMs ?? this.#clock.nowMs());
    if (entry && before?.uid === record.uid && before.content.equals(record.content)) {
      this.#store(kind, namespace, name, { ...entry, record, flagsFromMs, isRead });
      if (sameFlags) return;
    } else {
      const fromMs = this.#changedAtMs(before, record, origin);
      const past = this.#pastWith(kind, objectKey(namespace, name), entry);
      const isEditedSince = entry !== undefined && before?.uid !== record.uid && fromMs > record.createdAtMs;
      const former = isEditedSince ? [...past, this.#unknownState(record.createdAtMs)].slice(-maxFormer) : past;
      this.#store(kind, namespace, name, { record, fromMs, flagsFromMs, isRead, former });
    }
    this.#listener.onChange({ kind, namespace, name, before, after: record });
  }

  #remove(kind: SourceKind, key: ObjectKey, uid: string | undefined): void {
    this.#forgetOldStates();
    const { namespace, name } = splitObjectKey(key);
    const entry = this.#entry(kind, namespace, name);
    // The end of a former one, told late: what has its name now was read since.
    if (!entry?.record || (uid !== undefined && uid !== entry.record.uid)) return;
    const former = this.#pastWith(kind, key, entry);
    const { ignore, match } = entry.record;
    const gone = { record: undefined, fromMs: this.#clock.nowMs(), flagsFromMs: 0, isRead: false, former };
    this.#store(kind, namespace, name, { ...gone, lastFlags: { ignore, match } });
    this.#listener.onChange({ kind, namespace, name, before: entry.record, after: undefined });
  }

  /** When the content that is now seen came to be, by the API server's clock as far as it tells. */
  #changedAtMs(before: SourceRecord | undefined, record: SourceRecord, origin: 'list' | 'watch' | 'read'): number {
    // A watch too may show first what was created long before: what a label has brought into the selection.
    if (before?.uid !== record.uid) return Math.max(record.createdAtMs, record.writtenAtMs ?? 0);
    // Removing a key leaves no time in managedFields; every other write does, maybe that of the same second, and must not
    // be dated by its arrival: it would seem to come after what was born meanwhile.
    const { content, writtenAtMs = 0 } = record;
    const differing = content.differingKeys(before.content);
    const sets = differing.some((name) => content.key(name) !== absent);
    const removes = differing.some((name) => content.key(name) === absent);
    const formerMs = before.writtenAtMs ?? before.createdAtMs;
    const leftItsTime = sets ? writtenAtMs >= formerMs : writtenAtMs > formerMs;
    // A list or a read shows the last of several writes: the time may be that of one, and the removal came later.
    if (leftItsTime && !(removes && origin !== 'watch')) return writtenAtMs;
    return Math.max(writtenAtMs, Math.floor(this.#clock.nowMs() / 1000) * 1000);
  }

  #pastWith(kind: SourceKind, key: ObjectKey, entry: SourceEntry | undefined): readonly FormerState[] {
    if (!entry) return noPast;
    const id = `${kind}/${key}`;
    this.#withPast.delete(id);
    this.#withPast.set(id, { kind, key });
    const state = { content: entry.record?.content, fromMs: entry.fromMs, observedMs: this.#clock.monotonicMs() };
    return [...entry.former, state].slice(-maxFormer);
  }

  /** What a source was created with that a list shows only after an edit. */
  #unknownState(fromMs: number): FormerState {
    return { content: 'unknown', fromMs, observedMs: this.#clock.monotonicMs() };
  }

  #forgetOldStates(): void {
    const oldestMs = this.#clock.monotonicMs() - formerKeptMs;
    for (const [id, { kind, key }] of this.#withPast) {
      const { namespace, name } = splitObjectKey(key);
      const entry = this.#entry(kind, namespace, name);
      const newest = entry?.former.at(-1);
      if (entry && newest && newest.observedMs >= oldestMs) return;
      this.#withPast.delete(id);
      if (entry?.record) this.#store(kind, namespace, name, { ...entry, former: noPast });
      else this.#drop(kind, namespace, name);
    }
  }

  #store(kind: SourceKind, namespace: string, name: string, entry: SourceEntry): void {
    const key = scope(kind, namespace);
    let entries = this.#namespaces.get(key);
    if (!entries) this.#namespaces.set(key, (entries = new Map<string, Stored>()));
    entries.set(name, PackedSource.of(entry) ?? entry);
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

function isThere(stored: Stored): boolean {
  return stored instanceof PackedSource || stored.record !== undefined;
}

function bytesOf(stored: Stored): number {
  if (stored instanceof PackedSource) return stored.retainedBytes;
  const states = [stored.record?.content, ...stored.former.map(({ content }) => knownContent(content))];
  return states.reduce((sum, content) => sum + (content?.retainedBytes ?? 0), 0);
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
