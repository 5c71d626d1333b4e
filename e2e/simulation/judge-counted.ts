import type { KubeObject } from '../apiserver/objects';
import type { WriteRecord } from '../apiserver/store';
import { isRecordedParsed, matches, recordedOf, type WrittenBaseline } from './baseline-text';
import type { Case } from './case';
import type { Content, Keys, SourceName } from './contents';
import { countedKeys, jsonKey, listOf } from './key-lists';
import type { Life } from './lives';

type Entry = WrittenBaseline['sources'][string];

/** The keys of a source that count for a workload as the two are at that revision. */
export function keysAt(opened: Case, object: KubeObject, source: SourceName, revision: number): Keys | undefined {
  const use = opened.usageOf(object).get(source);
  return use && countedKeys(use.keys, listOf(object) ?? opened.lists.at(source, revision)?.list);
}

/**
 * Whether a change of the key is owed, although the key may have begun to count only after `since`. Then it is compared
 * with what it was when every process knew that it counts, or when the last of them began to lead.
 */
export function isOwed(opened: Case, life: Life, source: SourceName, key: string, since: number): boolean {
  const begun = countedSince(opened, life, source, key);
  if (begun === undefined || begun.revision <= since) return true;
  const shown = opened.shownBy(begun.atMs);
  if (shown === undefined) return false;
  const led = opened.processes.map((process) => opened.ledSince(process)).filter((revision) => revision < Infinity);
  const then = opened.contents.at(source, Math.max(shown, ...led));
  const now = opened.contents.versions(source).at(-1)?.content;
  return !sameValue(then?.get(key), now?.get(key));
}

/** The last write by which the key began to count; undefined: it always has. */
function countedSince(opened: Case, { writes }: Life, source: SourceName, key: string) {
  const [born] = writes;
  const turns = opened.lists.turns(source).filter(({ revision }) => revision > born.revision);
  const events = [...writes, ...turns].sort((left, right) => left.revision - right.revision);
  let begun: { readonly revision: number; readonly atMs: number } | undefined;
  let counted = true;
  for (const { revision, atMs } of events) {
    const { object } = writes.findLast((write) => write.revision <= revision) ?? born;
    const counts = includes(keysAt(opened, object, source, revision), key);
    if (counts && !counted) begun = { revision, atMs };
    counted = counts;
  }
  return begun;
}

/** A restart may rest on what counted so long before it. */
const underWayMs = 60_000;

/** Whether the key counted shortly before a restart, as far as the process that restarts can know. */
export function mayHaveCounted(
  opened: Case,
  { writes }: Life,
  source: SourceName,
  key: string,
  { revision, atMs }: WriteRecord,
): boolean {
  const before = writes.filter((write) => write.revision < revision);
  const inTime = (moments: readonly { readonly atMs: number }[], index: number): boolean =>
    (moments[index + 1]?.atMs ?? Infinity) >= atMs - underWayMs;
  const objects = before.filter((_write, index) => inTime(before, index)).map(({ object }) => object);
  const turns = opened.lists.turns(source).filter((turn) => turn.revision < revision);
  const moments = [{ revision: 0, atMs: 0 }, ...turns];
  const revisions = moments.filter((_moment, index) => inTime(moments, index)).map((moment) => moment.revision);
  return objects.some((object) => revisions.some((each) => includes(keysAt(opened, object, source, each), key)));
}

/**
 * Whether the list of keys, of the workload or of the source, was edited last before the process led that restarts the
 * workload. It does not know since when the keys count, and which of them the source had then.
 */
export function isListedBeforeLeading(
  opened: Case,
  { writes }: Life,
  source: SourceName,
  { user, revision }: WriteRecord,
): boolean {
  const edits = writes.filter((write) => write.previous && listOf(write.object) !== listOf(write.previous));
  const listed = [...edits, ...opened.lists.turns(source)].filter((edit) => edit.revision < revision);
  return listed.length > 0 && listed.every((edit) => edit.revision < opened.ledSince(user));
}

/** A write is decided, refused and followed by a read within this time. */
const readAgainMs = 5_000;

/**
 * Whether keys that count for the restarted workload changed before the edit of its list that let them count, and after the
 * write before that edit. A write that is refused because of the edit is followed by a read by name, which may show several
 * edits as one: the list may be as old as the write before, and then the change came after it. A write names its time in
 * whole seconds, so of two in one second nobody knows which came first, however long the restart is refused.
 */
export function mayBeListedBefore(opened: Case, { writes }: Life, source: SourceName, write: WriteRecord): boolean {
  const { atMs, object, revision } = write;
  const edit = writes.findLast((each) => each.previous && listOf(each.object) !== listOf(each.previous));
  const keys = keysAt(opened, object, source, revision);
  if (!edit || !keys || edit.revision > revision) return false;
  const former = writes.findLast((each) => each.revision < edit.revision);
  const isReadAgain = atMs - edit.atMs <= readAgainMs;
  const second = Math.floor(edit.atMs / 1000);
  return opened.contents
    .changes(source, keys, former?.revision ?? 0, edit.revision)
    .some((change) => isReadAgain || Math.floor(change.atMs / 1000) === second);
}

function includes(keys: Keys | undefined, key: string): boolean {
  return keys === 'all' || keys?.has(key) === true;
}

/**
 * Whether two records are of contents that differ in nothing that is seen when they are parsed, and the source has been
 * compared like that since the first of them was written, as far as the processes that wrote them can know.
 */
export function isOnlyFormatted(
  opened: Case,
  { writes }: Life,
  source: SourceName,
  [former, entry]: readonly [Entry, Entry],
  write: WriteRecord,
): boolean {
  const { contents, digests, lists } = opened;
  const { revision } = write;
  if (lists.turns(source).length === 0) return false;
  // The record of a list may lack a key that a content has.
  if (typeof former === 'object' && !sameNames(former, entry)) return false;
  const recorder = writes.find(
    (each) => JSON.stringify(recordedOf(each.object).get(source)) === JSON.stringify(former),
  );
  if (!digests || !recorder || !lists.isParsedSince(source, recorder.revision, revision)) return false;
  if (![recorder, write].every((each) => mustKnowOfParsing(opened, source, each))) return false;
  const versions = contents.versions(source).filter((version) => version.revision <= revision);
  const recorded = (each: Entry): readonly Content[] =>
    versions.flatMap(({ content }) => (content && matches(digests, source, content, each) ? [content] : []));
  // A record of some keys matches any content that differs in others: what was there last counts.
  const after = recorded(entry).at(-1);
  return after !== undefined && recorded(former).some((before) => sameWhenParsed(before, after));
}

/** Whether the record tells what is parsed, or the source has been compared parsed for longer than a write takes. */
function mustKnowOfParsing({ history, lists }: Case, source: SourceName, write: WriteRecord): boolean {
  if (isRecordedParsed(write.object, source)) return true;
  const before = history.findLast(({ atMs }) => atMs < write.atMs - underWayMs)?.revision ?? 0;
  return lists.isParsedSince(source, before, write.revision);
}

function sameNames(former: Entry, entry: Entry): boolean {
  return typeof entry === 'object' && Object.keys(former).join() === Object.keys(entry).join();
}

/** Whether an entry is of this content, or of one that differs only in what is not seen when it is parsed. */
export function recordsToday(opened: Case, source: SourceName, entry: Entry, now: Content): boolean {
  const { contents, digests } = opened;
  if (!digests) return false;
  const versions = contents.versions(source).flatMap(({ content }) => content ?? []);
  if (typeof entry === 'string') {
    return versions.some((each) => sameWhenParsed(each, now) && matches(digests, source, each, entry));
  }
  return Object.entries(entry).every(([key, digest]) =>
    [now, ...versions].some(
      (each) => sameValue(each.get(key), now.get(key)) && matches(digests, source, each, { [key]: digest }),
    ),
  );
}

/** Whether what an entry records is what a former one recorded, or differs only in what is not seen when it is parsed. */
export function recordsSameParsed(opened: Case, source: SourceName, former: Entry, entry: Entry): boolean {
  const { contents, digests } = opened;
  return contents
    .versions(source)
    .some(
      ({ content }) =>
        digests !== undefined &&
        content !== undefined &&
        matches(digests, source, content, former) &&
        recordsToday(opened, source, entry, content),
    );
}

/** Whether two contents have the same values of all keys. */
export function sameWhenParsed(left: Content | undefined, right: Content | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return left.size === right.size && [...left].every(([key, value]) => sameValue(value, right.get(key)));
}

/** Only values of {@link jsonKey} are JSON, as users write it: an object with two numbers. */
export function sameValue(left: string | undefined, right: string | undefined): boolean {
  if (left === right) return true;
  const [one, other] = [left, right].map((text) => (text?.includes('"a"') === true ? parsedValue(text) : undefined));
  return one !== undefined && one === other;
}

function parsedValue(text: string): string {
  const { a, b } = JSON.parse(text) as { readonly a: unknown; readonly b: unknown };
  return `${jsonKey} ${String(a)} ${String(b)}`;
}
