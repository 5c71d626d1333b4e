import { arrayAt, objectAt, stringAt, type JsonValue } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import type { WriteRecord } from '../apiserver/store';
import { baselineOf, matches, sourceOfEntry } from './baseline-text';
import type { Case } from './case';
import type { SourceName } from './contents';
import { isEngine } from './engine-user';
import type { Violation } from './judge';
import { decisionMs } from './judge-restart-ids';
import { isOfWorkload } from './lives';
import { lostWrites } from './restored';

/**
 * A user who is named as the author of a change must have made one: a write of that user to the source was stored. A
 * write that was only admitted, announced, forged or tried out makes nobody an author.
 */
export function checkAuthors(opened: Case, write: WriteRecord): readonly Violation[] {
  if (!isEngine(write.user) || write.type === 'DELETED') return [];
  if (write.kind.kind === 'Event') return checkEvent(opened, write);
  return isOfWorkload(write) ? checkAnnotation(opened, write) : [];
}

/**
 * Checks an Event with a message such as
 * `ConfigMap app: content changed (keys: color) by alice, bob (kubectl-edit); Secret db: …. Deployment restarted (…)`.
 */
function checkEvent(opened: Case, { object, key, revision }: WriteRecord): readonly Violation[] {
  const message = stringAt(object, 'message') ?? stringAt(object, 'note') ?? '';
  const namespace = key.split('/')[0] ?? '';
  return message.split('; ').flatMap((part): readonly Violation[] => {
    const [, kind = '', name = '', users] = /^(ConfigMap|Secret) (\S+): .*? by (\w+(?:, \w+)*)/.exec(part) ?? [];
    if (users === undefined) return [];
    const source = `${kind} ${namespace}/${name}`;
    const authors = new Set([...opened.stored.versions(source), ...lostWrites(opened, source)].map(({ user }) => user));
    return users
      .split(', ')
      .filter((user) => !authors.has(user))
      .map((user) => wrong(`Event ${key} at revision ${revision} names ${user}, who never changed ${source}`));
  });
}

/** Checks `reroll.dev/last-restart`, which is written together with the restart. */
function checkAnnotation(opened: Case, write: WriteRecord): readonly Violation[] {
  const { object, previous, kind, key, revision } = write;
  const text = object.metadata.annotations?.['reroll.dev/last-restart'];
  if (text === undefined || text === previous?.metadata.annotations?.['reroll.dev/last-restart']) return [];
  const restart = parsed(text);
  const named = arrayAt(restart, 'by').filter((user): user is string => typeof user === 'string');
  if (named.length === 0) return [];
  const sources = Object.keys(objectAt(restart, 'sources'));
  const authors = new Set(sources.flatMap((id) => authorsOf(opened, write, id, decisionMs(write))));
  return named
    .filter((user) => !authors.has(user))
    .map((user) =>
      wrong(`${kind.kind} ${key} at revision ${revision} names ${user}, who had not changed what it uses`),
    );
}

/**
 * How far watches and records may be behind: a restart may be for a state that was replaced this recently. A watch that
 * a partition has cut is asked anew after 90 s without a byte. A record may also report a state to which somebody else
 * has returned meanwhile, and then that user has written the state too.
 */
export const behindMs = 100_000;

/** The users whose writes led from what was recorded before to what is recorded now. */
function authorsOf(opened: Case, write: WriteRecord, id: string, decidedMs: number): readonly string[] {
  const source: SourceName | undefined = sourceOfEntry(id, write.object.metadata.namespace ?? '');
  const { stored, digests } = opened;
  if (source === undefined || !digests) return [];
  const all = stored.versions(source);
  const indexesOf = (object: KubeObject | undefined): readonly number[] => {
    const entry = baselineOf(object)?.sources[id];
    if (entry === undefined) return [];
    return all.flatMap(({ content }, index) => (matches(digests, source, content, entry) ? [index] : []));
  };
  const former = indexesOf(write.previous);
  const lost = lostWrites(opened, source).map(({ user }) => user);
  const current = indexesOf(write.object);
  // A restart may be held for long. Its authors are known since its state was shown.
  const shownMs = Math.min(decidedMs, all[current.at(-1) ?? 0]?.atMs ?? Infinity);
  const since = current.flatMap((now) => {
    if ((all[now + 1]?.atMs ?? Infinity) < shownMs - behindMs) return [];
    const before = former.findLast((index) => index < now) ?? -1;
    return all.slice(before + 1, now + 1).flatMap(({ uid, user }) => (uid === all[now]?.uid ? user : []));
  });
  return [...lost, ...since];
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}

function wrong(sentence: string): Violation {
  return { promise: 'wrong author', sentence };
}
