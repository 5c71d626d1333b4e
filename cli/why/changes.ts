import { parseSourceId } from '../../shared/domain/sources/source';
import { whatHappened, type RestartCause } from '../../shared/domain/workloads/restart-cause';
import type { SourceAccount } from '../evidence/account';
import { enumerated } from '../output/phrases';
import { titleOf, type TrackedCase } from './case';

/** @example 'key color of ConfigMap app' */
export function changed(source: string, keys: readonly string[] | undefined, moreKeys?: number): string {
  if (keys === undefined || keys.length === 0) return source;
  return `${keys.length === 1 ? 'key' : 'keys'} ${enumerated(keys, moreKeys)} of ${source}`;
}

/** What calls for the restart that is owed. @example 'key color of ConfigMap app changed' */
export function owedBecause({ account: { sources } }: Pick<TrackedCase, 'account'>): string {
  const restarting = sources.filter(({ restarts }) => restarts);
  return restarting.length === 0 ? 'a source of it changed' : enumerated(restarting.map(describeOwed));
}

function describeOwed(source: SourceAccount): string {
  const { why, changedKeys, moreChangedKeys } = source;
  if (why.startsWith('it was ')) return why.replace(/^it/, titleOf(source));
  return `${changed(titleOf(source), changedKeys, moreChangedKeys)} changed`;
}

/**
 * Why the last restart was made, as it noted, or else as its Event tells.
 *
 * @example 'alice changed key color of ConfigMap app'
 */
export function lastRestartBecause({ account: { lastRestart }, facts, events }: TrackedCase): string | undefined {
  if (!lastRestart) return undefined;
  const { id } = lastRestart;
  const noted = facts?.cause?.id === id ? notedCause(facts.cause) : undefined;
  if (noted !== undefined) return noted;
  const event = events.find(({ reason, message }) => reason === 'Reloaded' && message.includes(id));
  return event?.message
    .replace(/\. \w+ restarted .*$/, '')
    .replaceAll(/: it was (created|deleted)( \(keys: [^)]*\))?/g, ' was $1');
}

function notedCause(cause: RestartCause): string | undefined {
  const { sources, by, moreUsers } = cause;
  const edited: string[] = [];
  const appeared: string[] = [];
  for (const [id, keys] of sources) {
    const source = parseSourceId(id);
    const title = source ? titleOf(source) : id;
    const happened = whatHappened(cause, id);
    if (happened === 'changed') edited.push(changed(title, keys));
    else appeared.push(`${title} was ${happened}`);
  }
  const users = enumerated(by, moreUsers);
  if (edited.length === 0) return appeared.length === 0 ? undefined : enumerated(appeared) + (users && ` by ${users}`);
  const edit = users === '' ? `${enumerated(edited)} changed` : `${users} changed ${enumerated(edited)}`;
  return enumerated([edit, ...appeared]);
}
