import { askSource, askWorkload } from '../cluster/ask-about';
import type { Cluster } from '../cluster/cluster';
import { LeaderSilentError } from '../cluster/silence';
import type { WorkloadAccount } from '../evidence/account';
import { askStatus, type StatusRow } from '../status/read-status';
import { readCase, type ReadOptions } from '../why/read-case';
import type { HoldObject, HoldTarget } from './hold-target';

interface HeldRestart {
  readonly title: string;
  /** The hold that it waits for, in the words of the leader; undefined: it does not say. */
  readonly by: string | undefined;
}

/** What a hold is about, as the leader says. */
export interface HeldRestarts {
  /** Workloads whose restart is owed, and waits. */
  readonly waiting: readonly HeldRestart[];
  /** Why nothing restarts the workload anyway; undefined: something does, or it is about more than one. */
  readonly untracked: string | undefined;
}

/** Or why the leader does not answer. @throws KubeError */
export async function readHeldRestarts(
  cluster: Cluster,
  target: HoldTarget,
  object: HoldObject,
  options: Pick<ReadOptions, 'rerollNamespace' | 'timeoutMs'>,
): Promise<HeldRestarts | LeaderSilentError> {
  if (target.is === 'workload') return await ofWorkload(cluster, target, options);
  const namespace = target.is === 'namespace' ? target.name : target.is === 'source' ? object.namespace : undefined;
  const status = await askStatus(cluster, { namespace });
  if (status instanceof LeaderSilentError) return status;
  const held = status.rows.filter(({ waitsFor }) => waitsFor === 'hold');
  const concerned = target.is === 'source' ? await usersAmong(cluster, object, held) : held;
  return { waiting: concerned.map((row) => ({ title: titleOf(row), by: row.detail })), untracked: undefined };
}

export function titlesOf({ waiting }: HeldRestarts): readonly string[] {
  return waiting.map(({ title }) => title);
}

/**
 * Those that go on when these holds, in the words of the leader, have ended. The others wait for another one, such as
 * their own.
 */
export function letGo(restarts: HeldRestarts, ended: readonly string[]): HeldRestarts {
  const isLetGo = ({ by }: HeldRestart): boolean =>
    by === undefined || ended.some((hold) => by === hold || by.startsWith(`${hold}: `));
  return { ...restarts, waiting: ended.length === 0 ? [] : restarts.waiting.filter(isLetGo) };
}

async function ofWorkload(
  cluster: Cluster,
  { kind, name }: Extract<HoldTarget, { readonly is: 'workload' }>,
  options: Pick<ReadOptions, 'rerollNamespace' | 'timeoutMs'>,
): Promise<HeldRestarts | LeaderSilentError> {
  const asked = { kind, namespace: cluster.namespace, name };
  const told = await askWorkload(cluster, { ...asked, kind: kind.kind });
  if (told.silence) return told.silence;
  if (told.said.tracked) return ofAccount(told.said);
  // Its hold counts for the one that is restarted in its place, if they share a template.
  const { about, isInstead } = await readCase(cluster, asked, undefined, {
    ...options,
    nowMs: () => cluster.clock.nowMs(),
  });
  return ofAccount(isInstead ? about.account : told.said);
}

function ofAccount(account: WorkloadAccount): HeldRestarts {
  if (!account.tracked) return { waiting: [], untracked: account.why };
  // Whatever holds it is asked for separately.
  const held = { title: titleOf(account), by: undefined };
  return { waiting: account.restart === 'owed' ? [held] : [], untracked: undefined };
}

async function usersAmong(
  cluster: Cluster,
  source: HoldObject,
  rows: readonly StatusRow[],
): Promise<readonly StatusRow[]> {
  const told = await askSource(cluster, source);
  if (told.silence) return [];
  const { users } = told.said;
  return rows.filter((row) => users.some((user) => user.kind === row.kind && user.name === row.name));
}

function titleOf({ kind, namespace = '', name }: Pick<HoldObject, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${namespace}/${name}`;
}
