import { gateAnnotations } from '../../shared/domain/annotations/annotations';
import { describeDeferral, type ToldDeferral } from '../../shared/domain/protocol/deferral';
import { printable } from '../../shared/domain/text/printable';
import { enumerated, titleOf } from '../output/phrases';
import { renderTable, type Column, type TableOptions } from '../output/table';
import { bold, green, red, yellow } from '../output/text-style';
import { timeAndWait } from '../output/times';
import type { ReadUsers, SourceUsers } from './read-users';

type User = SourceUsers['users'][number];

/** The answer, then each user. */
export function usersText(
  { account, idle, selector }: Pick<ReadUsers, 'account' | 'idle' | 'selector'>,
  options: TableOptions & { readonly nowMs: number },
): string {
  const { paint, nowMs } = options;
  const { users, moreUsers } = account;
  const first = paint(account.presence === 'absent' ? red : bold, printable(headlineOf(account, { idle, selector })));
  const stages = account.stages
    ? `${paint(account.stages.isStopped ? red : yellow, printable(stagesText(account.stages)))}\n`
    : '';
  if (users.length === 0) return `${first}\n${stages}`;
  const columns: readonly Column<User>[] = [
    { title: 'WORKLOAD', cell: titleOf },
    {
      title: 'RESTARTS',
      cell: ({ restarts }) => (restarts ? 'yes' : 'no'),
      style: ({ restarts }) => (restarts ? green : yellow),
    },
    { title: 'CONTAINER', cell: ({ container = '' }) => container, isWide: true },
    { title: 'KEYS', cell: keysOf },
    { title: 'BY', cell: ({ rule = '' }) => rule },
    { title: 'BECAUSE', cell: ({ why }) => why },
    {
      title: 'WHEN',
      cell: ({ restarts, deferred }) => (restarts ? whenText(deferred, nowMs) : ''),
      // Mostly each restart would begin at once.
      ...(users.every(({ deferred }) => !deferred) && { isWide: true }),
    },
  ];
  const more = moreUsers === undefined ? '' : `and ${moreUsers} more\n`;
  return `${first}\n${stages}\n${renderTable(columns, users, options)}${more}`;
}

/** What users of a source wait for. @example '999 workloads wait: restarts for Secret db are stopped: Deployment web is not healthy since it restarted at …' */
export function stagesText({ waiting, detail }: NonNullable<SourceUsers['stages']>): string {
  return `${waiting === 1 ? '1 workload waits' : `${waiting} workloads wait`}: ${detail}`;
}

/** When a restart begins, for tables. */
export function whenText(deferred: ToldDeferral | undefined, nowMs: number): string {
  return deferred ? describeDeferral(deferred, (time) => timeAndWait(time, nowMs)) : 'at once';
}

/** How many restarts do not begin at once, behind the number of all. @example ', 2 of them later' */
export function laterPhrase(restarting: readonly { readonly deferred?: ToldDeferral | undefined }[]): string {
  const later = restarting.filter(({ deferred }) => deferred).length;
  if (later === 0) return '';
  return later === restarting.length ? ', later' : `, ${later} of them later`;
}

/** The keys that a workload uses, and what says that not all of them count, for people. */
export function keysOf({ keys, moreKeys, counted }: Pick<User, 'keys' | 'moreKeys' | 'counted'>): string {
  const used = typeof keys === 'string' ? keys : enumerated(keys, moreKeys);
  return counted ? `${used} (${gateAnnotations.keys}: ${counted.keys})` : used;
}

/** The first line of the answer: what a change would restart. */
export function headlineOf(
  { kind, namespace, name, presence, namespaceSelected, users, moreUsers = 0 }: SourceUsers,
  { idle, selector }: Pick<ReadUsers, 'idle' | 'selector'>,
): string {
  const title = `${kind} ${namespace}/${name}`;
  const restarting = users.filter(({ restarts }) => restarts);
  const all = users.length + moreUsers;
  if (presence === 'absent') {
    const matching = selector === undefined ? '' : ` that matches --resource-label-selector=${selector}`;
    return `there is no ${title}${matching}${all === 0 ? '' : `, and ${all} of the workloads there name it`}`;
  }
  if (presence === 'not-watched')
    return `a change of ${title} restarts nothing: a flag of Reroll leaves out its kind or its namespace`;
  if (presence === 'not-listed')
    return `a change of ${title} may be missed: Reroll is not allowed to list objects of kind ${kind}, or has not listed them yet`;
  if (!namespaceSelected)
    return `a change of ${title} restarts nothing: the labels of its namespace do not match --namespace-selector`;
  if (idle !== undefined) return `a change of ${title} restarts nothing: ${idle}`;
  if (all === 0) return `a change of ${title} restarts nothing: no workload that asks for restarts uses it`;
  const which = restarting.length === 0 ? '' : `: ${enumerated(restarting.map(titleOf))}`;
  const atLeast = moreUsers > 0 ? 'at least ' : '';
  const later = laterPhrase(restarting);
  return `a change of ${title} restarts ${atLeast}${restarting.length} of ${askingUsers(all, 'it')}${later}${which}`;
}

/** Those who use a source and ask for nothing are not counted. @example '3 workloads that ask for restarts and use it' */
export function askingUsers(count: number, subject: string): string {
  return `${count} ${count === 1 ? 'workload that asks for restarts and uses' : 'workloads that ask for restarts and use'} ${subject}`;
}
