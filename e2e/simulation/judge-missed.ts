import { objectAt } from '../apiserver/json';
import { baselineOf, sourceOfEntry } from './baseline-text';
import { sameKeys, type Contents, type Keys } from './contents';
import type { Case, Violation } from './judge';
import type { Life } from './lives';
import { policyOf, templateOf, usageOf } from './usage';

/**
 * No change missed: whatever a workload uses is at the end what it was when its pods last started, or came under our
 * care. What did not exist then is exempt (a source that comes into being restarts nothing).
 */
export function checkMissed({ history, contents, lives }: Case): readonly Violation[] {
  const firstLed = firstActOfLeader(history);
  return lives
    .filter(({ gone }) => !gone)
    .flatMap((life) => {
      const last = life.writes.at(-1) ?? life.writes[0];
      const started = lastTemplateChange(life);
      return [...usageOf(last.object)].flatMap(([source, keys]): readonly Violation[] => {
        const since = Math.max(started, firstLed, lastPolicyChange(life));
        const then = contents.at(source, since);
        const now = contents.versions(source).at(-1)?.content;
        if (then === undefined || now === undefined) return [];
        const missed = keysInQuestion(keys, then, now).filter((key) => then.get(key) !== now.get(key));
        if (missed.length === 0 || cameBack(contents, source, keys, since)) return [];
        if (wasUnknown(contents, life, source, since)) return [];
        const sentence = `${life.name} has run since revision ${since} with a former ${missed.join(', ')} of ${source}`;
        return [{ promise: 'missed change', sentence }];
      });
    });
}

/** A process leads when it knows that it does: then it renews the Lease, which does not change the time of its acquisition. */
function firstActOfLeader(history: Case['history']): number {
  const renewed = history.find(({ kind, object }) => {
    const spec = kind.kind === 'Lease' ? objectAt(object, 'spec') : {};
    return spec['acquireTime'] !== spec['renewTime'];
  });
  return renewed?.revision ?? Infinity;
}

/** How long before its start a workload may still be compared with what was before: a settle window and the lags. */
const settlingMs = 60_000;

/**
 * Pods that start in the middle of a change that is taken back run with what was there in between. A comparison of
 * states cannot tell: the one limit of the design that is known and accepted.
 */
function cameBack(contents: Contents, source: string, keys: Keys, since: number): boolean {
  const versions = contents.versions(source);
  const now = versions.at(-1);
  const started = versions.findLast(({ revision }) => revision <= since);
  return versions.some(
    ({ revision, content }, index) =>
      revision < (started?.revision ?? 0) &&
      (versions[index + 1]?.atMs ?? 0) >= (started?.atMs ?? 0) - settlingMs &&
      sameKeys(content, now?.content, keys),
  );
}

/** Of a source that went before any engine recorded it, nobody can tell that there was another one before. */
function wasUnknown(contents: Contents, { writes }: Life, source: string, since: number): boolean {
  const gone = contents.versions(source).find(({ revision, content }) => revision > since && content === undefined);
  if (!gone) return false;
  const then = writes.findLast(({ revision }) => revision < gone.revision)?.object;
  return !Object.entries(baselineOf(then)?.sources ?? {}).some(
    ([id, entry]) => entry !== '-' && sourceOfEntry(id, then?.metadata.namespace ?? '') === source,
  );
}

/** Single keys are exempt like sources are; of a whole source a key that is new counts too. */
function keysInQuestion(
  keys: Keys,
  then: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): readonly string[] {
  if (keys === 'all') return [...now.keys()];
  return [...keys].filter((key) => then.has(key) && now.has(key));
}

function lastTemplateChange({ writes }: Life): number {
  const change = writes.findLast(
    ({ previous, object }) => previous === undefined || templateOf(previous) !== templateOf(object),
  );
  return (change ?? writes[0]).revision;
}

/** When what the workload asks for last changed. */
function lastPolicyChange({ writes }: Life): number {
  const change = writes.findLast(
    ({ previous, object }) => previous === undefined || policyOf(previous) !== policyOf(object),
  );
  return (change ?? writes[0]).revision;
}
