import type { KubeObject } from '../apiserver/objects';
import type { WriteRecord } from '../apiserver/store';
import { ownNamespace } from '../engine-settings';
import type { Case } from './case';
import { decodedData, sameContent } from './contents';
import { isEngine } from './engine-user';
import { isRestart } from './judge-engine-writes';
import { mayNotKnow } from './judge-gates';
import { isHeld } from './judge-holds';
import { decisionMs } from './judge-restart-ids';
import type { Violation } from './judge';
import { changesOf } from './judge-stages';
import { isOfEngine, namespaceOf, type Life } from './lives';

const rolledBack = 'reroll.dev/rolled-back';

/** Whether an engine wrote a source, or what it keeps beside one. */
export function isOfRollback({ user, kind, object }: WriteRecord): boolean {
  const isSource = kind.kind === 'ConfigMap' || kind.kind === 'Secret';
  return isEngine(user) && isSource && object.metadata.namespace !== ownNamespace;
}

/**
 * Engines write to sources only where that is switched on: a copy of a content that was there, and each content once out
 * of the way, by one that was there before. `opened` contains the history up to just before the write.
 */
export function checkRollback(opened: Case, write: WriteRecord): readonly Violation[] {
  const { kind, key, object, previous, type, revision, user } = write;
  const at = `${kind.kind} ${key} at revision ${revision} by ${user}`;
  const foreign = (what: string): readonly Violation[] => [{ promise: 'foreign write', sentence: `${at} ${what}` }];
  if (opened.rules.stages?.rollback !== true) return foreign('is a source, and nothing is to be put back');
  if (object.metadata.labels?.['reroll.dev/kept'] !== undefined) {
    const owner = object.metadata.ownerReferences?.[0]?.name ?? '';
    const content = decodedData(object);
    const held = versionsOf(opened, `${kind.kind} ${object.metadata.namespace ?? ''}/${owner}`);
    return type === 'DELETED' || held.some((each) => sameContent(each, content))
      ? []
      : foreign(`keeps what ${owner} never had`);
  }
  if (type !== 'MODIFIED' || !previous) return foreign('is somebody else’s source');
  const [bad, good] = [decodedData(previous), decodedData(object)];
  if (sameContent(bad, good)) return foreign('changes no content');
  if (!versionsOf(opened, `${kind.kind} ${key}`).some((each) => sameContent(each, good)))
    return foreign('writes what it never had');
  if (isHeldThroughout(opened, write)) {
    return [{ promise: 'restart in spite of a gate', sentence: `${at} puts back what is held` }];
  }
  const again = opened.history.find(
    (former) =>
      isPutBack(former) &&
      former.key === key &&
      former.kind.kind === kind.kind &&
      former.object.metadata.uid === object.metadata.uid &&
      sameContent(former.previous && decodedData(former.previous), bad),
  );
  if (!again) return [];
  return [
    { promise: 'rolled back twice', sentence: `${at} puts back what was put back at revision ${again.revision}` },
  ];
}

/** Whether the source was held for as long as the process must have known it, whatever else it may not know. */
function isHeldThroughout(opened: Case, { kind, key, object, user, atMs }: WriteRecord): boolean {
  const { gates, rules } = opened;
  if (!rules.gates) return false;
  const termMs = opened.termSinceMs(user, atMs);
  const fromMs = Math.max(atMs - rules.shownWithinMs - rules.knownWithinMs, termMs);
  if (mayNotKnow(opened, termMs, atMs)) return false;
  const namespaces = gates.between(`Namespace ${object.metadata.namespace ?? ''}`, fromMs, atMs);
  return gates
    .between(`${kind.kind} ${key}`, fromMs, atMs)
    .every((source = {}) =>
      namespaces.every((namespace = {}) =>
        gates
          .ofEverything(fromMs, atMs)
          .every((everything) =>
            isHeld({ workload: {}, source, namespace, flags: {}, everything, restartedMs: undefined }, atMs),
          ),
      ),
    );
}

/** Nobody restarts for a content of which the source itself says that it was put back. */
export function checkRolledBack(opened: Case, life: Life): readonly Violation[] {
  const write = life.writes.at(-1);
  const { stages, clocksAreRight, shownWithinMs } = opened.rules;
  if (!write || stages?.rollback !== true || !clocksAreRight || !isOfEngine(write) || !isRestart(write)) return [];
  const untilMs = decisionMs(write) - shownWithinMs;
  return Object.entries(changesOf(write.object)).flatMap(([id, change]) => {
    const [kind, name] = id.startsWith('cm/') ? ['ConfigMap', id.slice(3)] : ['Secret', id.slice('secret/'.length)];
    const key = `${namespaceOf(life)}/${name}`;
    const states = opened.history.filter((each) => each.kind.kind === kind && each.key === key);
    const from = states.findLastIndex(({ atMs }) => atMs <= untilMs);
    const known = from < 0 ? [] : states.slice(from);
    const isClosed = known.length > 0 && known.every(({ object, type }) => type !== 'DELETED' && tells(object, change));
    const sentence = `${life.name} at revision ${write.revision} by ${write.user} restarted for change ${change}, which was put back`;
    return isClosed ? [{ promise: 'past a stop', sentence } as const] : [];
  });
}

/** Whether a source says that a change was put back, and nobody has resumed it. */
function tells({ metadata: { annotations = {} } }: KubeObject, change: string): boolean {
  const told = annotations[rolledBack]?.split(',') ?? [];
  return (
    told.includes(change) &&
    annotations['reroll.dev/resumed'] === undefined &&
    annotations['reroll.dev/stages'] === undefined
  );
}

function isPutBack(write: WriteRecord): boolean {
  const { object, previous, type } = write;
  const isKept = object.metadata.labels?.['reroll.dev/kept'] !== undefined;
  return isOfRollback(write) && !isKept && type === 'MODIFIED' && previous !== undefined;
}

/** All contents that a source ever had. */
function versionsOf(opened: Case, source: string): readonly ReturnType<typeof decodedData>[] {
  return opened.stored.versions(source).flatMap(({ content }) => (content ? [content] : []));
}
