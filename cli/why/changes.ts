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

/** Why a restart was made, as it noted. @example 'alice changed key color of ConfigMap app' */
export function restartedBecause({ sources, by, moreUsers }: RestartCause): string | undefined {
  const things = [...sources].map(([id, keys]) => {
    const source = parseSourceId(id);
    return changed(source ? titleOf(source) : id, keys);
  });
  if (things.length === 0) return undefined;
  const users = [...by, ...(moreUsers > 0 ? [`${moreUsers} more`] : [])];
  return users.length === 0 ? `${enumerated(things)} changed` : `${enumerated(users)} changed ${enumerated(things)}`;
}
