import { watchedSourceKinds } from '../../shared/domain/lint/lint-subject';
import { candidateOf } from '../../shared/domain/plan/candidates';
import { creationIgnored } from '../../shared/domain/plan/describe-change';
import type { SourceInspection, SourceUser } from '../../shared/domain/protocol/source-inspection';
import type { Tolerant } from '../../shared/domain/protocol/tolerant-schema';
import { sourceId, type SourceRef } from '../../shared/domain/sources/source';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import { askSource } from '../cluster/ask-about';
import type { Grounds } from '../cluster/ask-leader';
import type { Cluster } from '../cluster/cluster';
import { noAnswer, type LeaderSilentError } from '../cluster/silence';
import { sourceAccount } from '../evidence/account';
import { deferralFor, type GateEvidence } from '../evidence/deferral';
import { readInstall, type Install } from '../evidence/install';
import { readPlace } from '../evidence/place';
import { readSources, type SeenSources } from '../evidence/seen-sources';
import { readWorkloads } from '../evidence/seen-workloads';

export type SourceUsers = Tolerant<SourceInspection>;

/** Who uses a source. */
export interface ReadUsers extends Required<Grounds> {
  readonly account: SourceUsers;
  /** The account as the leader wrote it. */
  readonly body: unknown;
  /** The pod that answered. */
  readonly leader: string | undefined;
  /** Why the install restarts nothing at all; undefined: it does. */
  readonly idle: string | undefined;
  /** The label selector that leaves sources of this kind out; undefined: none does, as far as is known. */
  readonly selector: string | undefined;
}

interface Limits {
  readonly rerollNamespace: string;
  readonly timeoutMs: number;
}

/** @throws NoAnswerError, KubeError */
export async function readUsers(cluster: Cluster, source: SourceRef, limits: Limits): Promise<ReadUsers> {
  const [told, install] = await Promise.all([
    askSource(cluster, source),
    readInstall(cluster.client, limits.rerollNamespace, limits),
  ]);
  const selector = selectorFor(source, install);
  if (told.silence) {
    const read = await fromObjects(cluster, source, install, told.silence, limits);
    return { ...read, idle: idleBecause(install, read), selector };
  }
  const { said: account, body, pod: leader } = told;
  return {
    ...{ account, body, silence: undefined, leader, isInstallKnown: true, missingRights: [], notKnown: [] },
    ...{ idle: idleBecause(install, { account, silence: undefined }), selector },
  };
}

/** Rotations are watched whatever the labels. */
function selectorFor({ kind }: SourceRef, { settings }: Install): string | undefined {
  const { isEverything, text } = settings.selection.sourceSelector;
  return isEverything || kind === 'SecretProviderClass' ? undefined : text;
}

async function fromObjects(
  { client, clock }: Cluster,
  source: SourceRef,
  install: Install,
  silence: LeaderSilentError,
  { rerollNamespace, timeoutMs }: Limits,
): Promise<Omit<ReadUsers, 'idle' | 'selector'>> {
  const { kind, namespace, name } = source;
  const { keys, selection } = install.settings;
  const [{ records, missingRights, isAllHidden }, sources, place] = await Promise.all([
    readWorkloads(client, namespace, install, { timeoutMs }),
    readSources(client, { namespace, sources: [source], keys, selector: selection.sourceSelector }, { timeoutMs }),
    readPlace(client, namespace, { install, rerollNamespace }, { timeoutMs }),
  ]);
  if (isAllHidden) throw noAnswer(silence, missingRights);
  const seen = sources.get(sourceId(source));
  // To the leader, a source that the label selector leaves out is as good as none.
  const isAbsent = seen?.is === 'absent' || (seen?.is === 'there' && !seen.value.isSelected);
  const evidence = { install, sources, place, nowMs: clock.nowMs() };
  const account: SourceInspection = {
    ...{ v: 1, kind, namespace, name },
    presence: isSourceWatched(source, install) ? (isAbsent ? 'absent' : 'present') : 'not-watched',
    namespaceSelected: place.isSelected !== false,
    ...(seen?.is === 'there' && { ignore: seen.value.ignore, match: seen.value.match }),
    users: records.flatMap((record) => userFromObjects(record, source, evidence)),
  };
  return {
    ...{ account, body: account, silence, leader: undefined },
    ...{ isInstallKnown: install.isKnown, missingRights, notKnown: place.notKnown },
  };
}

/** What was learned about a source, and why not from the leader. */
interface AboutSource {
  readonly silence: LeaderSilentError | undefined;
  readonly account: Pick<SourceUsers, 'dryRun'>;
}

/**
 * Why an install restarts nothing, whatever changes; undefined: it does. The leader's answer about a source tells of a dry run,
 * because who asks may lack the right to read Reroll's Deployment.
 */
export function idleBecause(
  { callsInstead, dryRun }: Pick<Install, 'callsInstead' | 'dryRun'>,
  { silence, account }: AboutSource,
): string | undefined {
  if (callsInstead || silence?.silence === 'no-workloads') return 'for each change Reroll calls --webhook-url instead';
  return dryRun || account.dryRun === true ? 'Reroll runs with --dry-run, and writes nothing' : undefined;
}

/** Whether the flags of an install leave a source in, by its kind and namespace. */
export function isSourceWatched({ kind, namespace }: SourceRef, { settings }: Install): boolean {
  const { namespaces, namespacesToIgnore } = settings.selection;
  const isIn = namespaces.length > 0 ? namespaces.includes(namespace) : !namespacesToIgnore.includes(namespace);
  return isIn && watchedSourceKinds(settings).includes(kind);
}

/** What the objects tell about the users of a source. */
export interface UserEvidence extends GateEvidence {
  readonly install: Install;
  readonly sources: SeenSources;
}

/** A workload as a user of a source, as the objects tell; none if it neither uses nor names the source. */
export function userFromObjects(
  record: WorkloadRecord,
  source: SourceRef,
  evidence: UserEvidence,
): readonly SourceUser[] {
  const candidate = candidateOf(source, { record });
  if (!candidate) return [];
  const { install, sources } = evidence;
  const account = sourceAccount(record, candidate, install, sources);
  const { decision, rule, keys, standing, counted, compare } = account;
  const counts = standing === 'not-read-yet' || (standing === 'absent' && install.reloadOnCreate);
  const { kind, name, deleting } = record;
  const { container } = candidate;
  const restarts = counts && !deleting;
  const isLeftAlone = standing === 'absent' && !counts;
  const why = isLeftAlone ? creationIgnored : account.why;
  const seen = sources.get(sourceId(source));
  const gates = seen?.is === 'there' ? seen.value.gates : undefined;
  const deferred = restarts ? deferralFor(record, { ...source, gates }, evidence) : undefined;
  return [
    {
      ...{
        kind,
        name,
        ...(container !== undefined && { container }),
        decision,
        ...(rule !== undefined && { rule }),
        why,
        keys,
        restarts,
      },
      ...(counted && { counted }),
      ...(compare && { compare }),
      ...(deferred && { deferred }),
    },
  ];
}
