import { arrayAt, numberAt, objectAt, stringAt, type JsonValue } from '../apiserver/json';
import type { WriteRecord } from '../apiserver/store';
import { baselineAnnotation, matches, recordedOf, sourceOfEntry } from './baseline-text';
import type { Case } from './case';
import { sourceOfRecord, type Delivery } from './channel';
import type { SourceName, Version } from './contents';
import type { Violation } from './judge';
import { restartWrittenBy } from './judge-restart-ids';
import { isOfEngine, type Life } from './lives';
import { startMs } from './loop';
import { lostWrites, recordsLost } from './restored';

/** A record that a reconciler has accepted. */
interface Told {
  readonly to: string;
  readonly atMs: number;
  readonly user: string;
  readonly uid: string;
  readonly digest: string;
  readonly keyId: string;
  readonly observedAtMs: number;
  /** The version that the reviewed write was to replace. */
  readonly replaces: number;
  readonly changedKeys: readonly JsonValue[];
}

/** How far the clocks of processes may be off. */
const skewMs = 1_000;
/** A reconciler waits a little longer than this to confirm a record, whether reads succeed or not. */
const rememberedMs = 30_000;
/** Older records are not believed. The clocks of webhooks may be off as well. */
const maxAgeMs = 50_000;
/** How many records of one source, and how many authors of one state, are kept at a time. */
const maxOfSource = 60;
const maxAuthors = 5;
/** The authors of this many states of a source are kept. */
const keptStates = 2;

/**
 * A restart must name every known author of its changes, in its annotation and so in its Event. An author is known if a
 * record named the user to the process before it decided. A restart may leave out what it could not know:
 *
 * - who wrote a state that had existed before, or that existed twice: a digest does not tell the two apart;
 * - a record that came before the process is known to have looked after a workload that uses the source;
 * - a record that was observed before a record of a former state, because that state then counts as the newer one;
 * - a record that came after the next change of the source, which may have overtaken the change that it reports;
 * - who wrote a state that was followed by two others before the restart, or whose object was recreated: its authors are
 *   forgotten then;
 * - who wrote a state to which a restore of etcd has led back from one that was recorded: nobody made that change;
 * - who wrote a state whose record says that it replaced a later one: the review began before a restore of etcd that undid
 *   that one;
 * - who changed other keys than those that differ from what was recorded before: whoever changed these is the author;
 * - some of very many authors or records.
 */
export class KnownAuthors {
  readonly #told = new Map<SourceName, Told[]>();

  delivered({ record, to, atMs, isTaken }: Delivery): void {
    if (!isTaken) return;
    const [user, uid, digest, keyId] = ['user', 'uid', 'digest', 'keyId'].map((field) => stringAt(record, field) ?? '');
    const observedAtMs = numberAt(record, 'observedAtMs') ?? 0;
    const source = sourceOfRecord(record);
    const replaces = Number(stringAt(record, 'replaces') ?? 0);
    const changedKeys = ['added', 'changed', 'removed'].flatMap((how) => arrayAt(record, 'changed', how));
    const told = { to: to.name, atMs: startMs + atMs, observedAtMs, replaces, changedKeys };
    this.#told.set(source, [
      ...this.#of(source),
      { ...told, user: user ?? '', uid: uid ?? '', digest: digest ?? '', keyId: keyId ?? '' },
    ]);
  }

  /** Checks the newest write of the life. */
  check(opened: Case, life: Life): readonly Violation[] {
    const write = life.writes.at(-1);
    const { rules } = opened;
    // A record of a source that is not selected is not accepted. Since when it has not been selected is not checked
    // here.
    const selects =
      rules.selectsNamespaces || rules.selectsSources || rules.leavesOutNamespaces || rules.leavesOutSources;
    if (!write || !isOfEngine(write) || selects) return [];
    const restart = restartWrittenBy(write);
    const named = arrayAt(restart, 'by');
    if (restart === null || named.length >= maxAuthors || numberAt(restart, 'byMore') !== undefined) return [];
    return Object.keys(objectAt(restart, 'sources')).flatMap((id): readonly Violation[] => {
      const author = this.#knownAuthorOf(opened, life, write, id, restart);
      if (author === undefined || named.includes(author)) return [];
      const sentence = `${life.name} at revision ${write.revision} by ${write.user} does not name ${author}, of whose change of ${id} it had been told`;
      return [{ promise: 'author left out', sentence }];
    });
  }

  #knownAuthorOf(opened: Case, life: Life, write: WriteRecord, id: string, restart: JsonValue): string | undefined {
    const { contents, digests } = opened;
    const source = sourceOfEntry(id, write.object.metadata.namespace ?? '');
    const entry = source === undefined ? undefined : recordedOf(write.object).get(source);
    if (source === undefined || entry === undefined || !digests) return undefined;
    const versions = contents.versions(source);
    const matching = versions.filter(({ content }) => content && matches(digests, source, content, entry));
    const [version] = matching;
    if (!version || matching.length > 1) return undefined;
    const all = this.#of(source).filter(({ to }) => to === write.user);
    if (all.length > maxOfSource) return undefined;
    const digestOf = ({ content }: Version): string => digests.whole(source, content);
    const decidedMs = Date.parse(stringAt(restart, 'at') ?? '') - skewMs;
    const keyId = keyIdOf(write);
    const told = all.find(
      ({ user, uid, digest, atMs, observedAtMs, replaces, ...record }) =>
        user === version.user &&
        uid === version.uid &&
        digest === digestOf(version) &&
        record.keyId === keyId &&
        replaces < version.revision &&
        atMs <= decidedMs &&
        decidedMs - atMs < rememberedMs &&
        Math.abs(atMs - observedAtMs) < maxAgeMs,
    );
    // The process has seen the states that a restore of etcd undid, too.
    const undone = lostWrites(opened, source).map(({ atMs, object }) => ({ atMs, uid: object.metadata.uid }));
    const later = [
      ...versions.filter(({ revision }) => revision > version.revision),
      ...undone.filter(({ atMs }) => atMs > version.atMs),
    ];
    const newer = later.filter(({ atMs }) => atMs <= write.atMs);
    if (newer.length >= keptStates || newer.some(({ uid }) => uid !== version.uid)) return undefined;
    if (!told || later.some(({ atMs }) => atMs <= told.atMs)) return undefined;
    if (!wasLookedAfter(opened, life, source, write.user, told.atMs)) return undefined;
    const before = recordedOf(write.previous).get(source);
    if (before !== undefined && recordsLost(opened, source, before)) return undefined;
    const formers = new Set(versions.filter(({ revision }) => revision < version.revision).map(digestOf));
    const isOvertaken = all.some(
      ({ digest, observedAtMs }) => formers.has(digest) && observedAtMs >= told.observedAtMs,
    );
    if (isOvertaken || isOfOtherKeys(opened, write, source, version, told)) return undefined;
    return told.user;
  }

  #of(source: SourceName): readonly Told[] {
    return this.#told.get(source) ?? [];
  }
}

/**
 * Whether the process had itself recorded the source for the workload, and the workload used it from then until `atMs`.
 */
function wasLookedAfter(opened: Case, { writes }: Life, source: SourceName, user: string, atMs: number): boolean {
  const before = writes.filter((write) => write.atMs < atMs);
  const recorded = before.findIndex(
    (write) => write.user === user && isOfEngine(write) && recordedOf(write.object).has(source),
  );
  const uses = ({ object, revision }: WriteRecord): boolean => opened.usageAt(object, revision).has(source);
  return recorded >= 0 && before.slice(recorded).every(uses);
}

/** Whether the change was of keys that are as they were when the source was last recorded for the workload. */
function isOfOtherKeys(
  { contents, digests }: Case,
  { previous }: WriteRecord,
  source: SourceName,
  { revision, content: now }: Version,
  { changedKeys }: Told,
): boolean {
  const entry = recordedOf(previous).get(source);
  const former = contents
    .versions(source)
    .findLast(
      ({ content, ...version }) =>
        version.revision < revision && digests && entry && content && matches(digests, source, content, entry),
    );
  // A key that came and went since the source was absent is as it was then, too.
  const wasAbsent = digests !== undefined && entry !== undefined && matches(digests, source, undefined, entry);
  return (
    (former !== undefined || wasAbsent) &&
    changedKeys.length > 0 &&
    changedKeys.every((key) => typeof key === 'string' && former?.content?.get(key) === now?.get(key))
  );
}

function keyIdOf({ object }: WriteRecord): string | undefined {
  const text = object.metadata.annotations?.[baselineAnnotation] ?? '';
  return /"key":"([^"]+)"/.exec(text)?.[1];
}
