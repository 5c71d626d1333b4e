import { parseSourceId } from '../../shared/domain/sources/source';
import type { RestartCause } from '../../shared/domain/workloads/restart-cause';
import type { SourceAccount } from '../evidence/account';
import { enumerated } from '../output/phrases';
import { titleOf, type TrackedCase } from './case';

/** @example 'key color of ConfigMap app' */
export function changed(source: string, keys: readonly string[] | undefined): string {
  if (keys === undefined || keys.length === 0) return source;
  return `${keys.length === 1 ? 'key' : 'keys'} ${enumerated(keys)} of ${source}`;
}

/** What calls for the restart that is owed. @example 'key color of ConfigMap app changed' */
export function owedBecause({ account: { sources } }: Pick<TrackedCase, 'account'>): string {
  const restarting = sources.filter(({ restarts }) => restarts);
  return restarting.length === 0 ? 'a source of it changed' : enumerated(restarting.map(describeOwed));
}

function describeOwed(source: SourceAccount): string {
  const { why, changedKeys } = source;
  if (why.startsWith('it was ')) return why.replace(/^it/, titleOf(source));
  return `${changed(titleOf(source), changedKeys)} changed`;
}

/**
 * Why the last restart was made, as it noted. That a source was created or deleted, its Event alone tells.
 *
 * @example 'alice changed key color of ConfigMap app'
 */
export function lastRestartBecause({ account: { lastRestart }, facts, events }: TrackedCase): string | undefined {
  if (!lastRestart) return undefined;
  const { id } = lastRestart;
  const event = events.find(({ reason, message }) => reason === 'Reloaded' && message.includes(id));
  const told = event?.message.replace(/\. \w+ restarted .*$/, '');
  if (told?.includes(': it was ')) {
    const appeared = told.replaceAll(/: it was (created|deleted)( \(keys: [^)]*\))?/g, ' was $1');
    return appeared.replaceAll(/ \(change [0-9a-f]{8}\)/g, '');
  }
  return (facts?.cause?.id === id ? notedCause(facts.cause) : undefined) ?? told;
}

function notedCause({ sources, by, moreUsers }: RestartCause): string | undefined {
  const things = [...sources].map(([id, keys]) => {
    const source = parseSourceId(id);
    return changed(source ? titleOf(source) : id, keys);
  });
  if (things.length === 0) return undefined;
  const users = [...by, ...(moreUsers > 0 ? [`${moreUsers} more`] : [])];
  return users.length === 0 ? `${enumerated(things)} changed` : `${enumerated(users)} changed ${enumerated(things)}`;
}
