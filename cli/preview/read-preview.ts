import { objectKey } from '../../shared/domain/kubernetes/object-key';
import { candidateOf } from '../../shared/domain/plan/candidates';
import { soonest } from '../../shared/domain/protocol/deferral';
import { untrackedTexts } from '../../shared/domain/plan/why-untracked';
import type { Cluster } from '../cluster/cluster';
import { untrackedBecause } from '../evidence/account';
import type { Install } from '../evidence/install';
import { userFromObjects, type SourceUsers, type UserEvidence } from '../users/read-users';
import { effectOf, withoutTurn, type Effect, type User } from './effects';
import type { ManifestWorkload, ManifestWorkloads } from './manifest-workloads';
import type { Preview, PreviewedWorkload } from './preview';
import { changedKeys, type SourceChange } from './source-change';
import type { Unresolved } from './unresolved';
import { ChangeUsers } from './users-of-change';

/** All that would change. */
export interface Proposal extends ManifestWorkloads {
  readonly changes: readonly SourceChange[];
  readonly unresolved: readonly Unresolved[];
}

/** Joins each change with those who use its source. @throws NoAnswerError, KubeError */
export async function readPreview(
  cluster: Cluster,
  { changes, workloads, unresolved, missingRights }: Proposal,
  install: Install,
  where: { readonly rerollNamespace: string; readonly timeoutMs: number },
): Promise<Preview> {
  const users = new ChangeUsers(cluster, install, where);
  const inManifests = new Map(workloads.map((workload) => [keyOf(workload.after), workload]));
  const found = new Map<string, PreviewedWorkload>();
  const sources: Preview['sources'][number][] = [];
  for (const proposed of changes) {
    const change = asSelected(proposed, install);
    const isLeftOut = !change.before && !change.after && (proposed.before ?? proposed.after) !== undefined;
    const leftOutBy = isLeftOut ? install.settings.selection.sourceSelector.text : undefined;
    if (change.refusal !== undefined || isNoChange(change)) {
      sources.push({ change: isLeftOut ? proposed : change, leftOutBy, account: noAccount(change) });
      continue;
    }
    const account = await users.of(change);
    sources.push({ change, leftOutBy, account });
    const { namespace } = change.source;
    const beside = workloads.filter(({ after }) => after.namespace === namespace);
    const isAlone = beside.length === 0;
    const after = isAlone ? account.users : withManifests(account, change, beside, await users.evidence(change));
    const ofUsers = after.map((user) => ({ user, effect: effectOf(user, change, appearanceOf(account, install)) }));
    // The leader tells who would go first among all users. If not all of them restart, that may be another one.
    const isTurnKnown = isAlone && ofUsers.every(({ user, effect }) => effect.restarts || !user.restarts);
    for (const { user, effect: told } of ofUsers) {
      const { kind, name } = user;
      const key = keyOf({ kind, namespace, name });
      const effect = isTurnKnown ? told : withoutTurn(told);
      const effects = [...(found.get(key)?.effects ?? []), effect].toSorted(restartingFirst);
      const outcome = outcomeOf(effects, inManifests.get(key), account);
      const deferred = outcome === 'restarts' ? soonest(restarting(effects).map((each) => each.deferred)) : undefined;
      found.set(key, { kind, namespace, name, outcome, ...(deferred && { deferred }), effects });
    }
  }
  return {
    ...{ sources, unresolved, install, silence: users.silence, isInstallKnown: install.isKnown },
    workloads: [...found].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, workload]) => workload),
    missingRights: [...missingRights, ...(await users.missingRights())],
    notKnown: await users.notKnown(),
  };
}

/** A source that the label selector of the install leaves out is as good as none. */
function asSelected(change: SourceChange, { settings: { selection } }: Install): SourceChange {
  const isSeen = (side: SourceChange['before']): boolean =>
    side?.labels === undefined || selection.sourceSelector.matches(side.labels);
  const { before, after } = change;
  return { ...change, before: isSeen(before) ? before : undefined, after: isSeen(after) ? after : undefined };
}

function isNoChange(change: SourceChange): boolean {
  const { before, after } = change;
  return (before === undefined) === (after === undefined) && changedKeys(change).length === 0;
}

function noAccount({ source: { kind, namespace, name } }: SourceChange): Omit<SourceUsers, 'users'> {
  return { v: 1, kind, namespace, name, presence: 'present', namespaceSelected: true };
}

/** A leader that counts a source which does not exist yet has `--reload-on-create`. */
function appearanceOf({ presence }: SourceUsers, { reloadOnCreate, reloadOnDelete }: Install) {
  return { reloadOnCreate: reloadOnCreate || presence === 'absent', reloadOnDelete };
}

/** The users after the manifests are applied: they may ask for other restarts, or use other sources. */
function withManifests(
  { users, namespaceSelected }: SourceUsers,
  change: SourceChange,
  workloads: readonly ManifestWorkload[],
  evidence: UserEvidence,
): readonly User[] {
  const isUser = ({ kind, name }: User, { after }: ManifestWorkload): boolean =>
    kind === after.kind && name === after.name;
  const altered = workloads.filter(({ before, after }) => {
    const [then, now] = [before, after].map((record) =>
      JSON.stringify(userIn(record, change, evidence, namespaceSelected)),
    );
    return then !== now;
  });
  const others = users.filter((user) => !altered.some((workload) => isUser(user, workload)));
  return [...others, ...altered.flatMap(({ after }) => userIn(after, change, evidence, namespaceSelected) ?? [])];
}

function userIn(
  record: ManifestWorkload['after'],
  change: SourceChange,
  evidence: UserEvidence,
  isNamespaceSelected: boolean,
): User | undefined {
  const [user] = candidateOf(change.source, { record }) ? userFromObjects(record, change.source, evidence) : [];
  const because = untrackedBecause(record, evidence.install, isNamespaceSelected);
  return user && because ? { ...user, why: untrackedTexts[because], restarts: false } : user;
}

function outcomeOf(
  effects: readonly Effect[],
  inManifests: ManifestWorkload | undefined,
  { namespaceSelected }: SourceUsers,
): PreviewedWorkload['outcome'] {
  if (inManifests?.rollsOut) return 'rolls-out';
  return namespaceSelected && restarting(effects).length > 0 ? 'restarts' : 'stays';
}

function restarting(effects: readonly Effect[]): readonly Effect[] {
  return effects.filter(({ restarts }) => restarts);
}

function restartingFirst(left: Effect, right: Effect): number {
  return Number(right.restarts) - Number(left.restarts);
}

function keyOf({ kind, namespace, name }: Pick<PreviewedWorkload, 'kind' | 'namespace' | 'name'>): string {
  return `${objectKey(namespace, kind)}/${name}`;
}
