import { untrackedTexts } from '../../shared/domain/plan/why-untracked';
import { healthInspectionSchema } from '../../shared/domain/protocol/health-inspection';
import { sourceId, sourceKinds, type LocalSourceRef } from '../../shared/domain/sources/source';
import { askWorkload } from '../cluster/ask-about';
import { askLeader } from '../cluster/ask-leader';
import type { Cluster } from '../cluster/cluster';
import { noAnswer, type LeaderSilentError } from '../cluster/silence';
import { accountOf, type WorkloadAccount } from '../evidence/account';
import { valueOf } from '../evidence/seen';
import { readOldestPodMs } from '../evidence/oldest-pod';
import { readSources } from '../evidence/seen-sources';
import { readEvidence, type Asked, type WorkloadEvidence } from '../evidence/workload-evidence';
import type { Case } from './case';

/** A case, and who gave the account of it. */
export interface ReadCase {
  readonly about: Case;
  readonly leader: string | undefined;
  /** The account as the leader wrote it, or the one from the objects. */
  readonly body: unknown;
  /** Whether it is about the workload that is restarted in place of the one that was asked about. */
  readonly isInstead: boolean;
}

export interface ReadOptions {
  readonly rerollNamespace: string;
  readonly timeoutMs: number;
  readonly nowMs: () => number;
  /** Who shares a template may have changed meanwhile, and is followed once. */
  readonly isInstead?: boolean;
}

/** Asks the leader, and reads what the objects tell besides. @throws NoAnswerError, KubeError */
export async function readCase(
  cluster: Cluster,
  asked: Asked,
  about: LocalSourceRef | undefined,
  options: ReadOptions,
): Promise<ReadCase> {
  const { rerollNamespace, timeoutMs, nowMs, isInstead = false } = options;
  const { namespace, name } = asked;
  const kind = asked.kind.kind;
  const [told, evidence] = await Promise.all([
    askWorkload(cluster, { kind, namespace, name }),
    readEvidence(cluster.client, asked, rerollNamespace, { timeoutMs }),
  ]);
  const { install, events, place } = evidence;
  const facts = valueOf(evidence.object);
  const instead = isInstead ? undefined : facts?.restartedInstead;
  if (instead) {
    return await readCase(cluster, { namespace, ...instead }, about, { ...options, isInstead: true });
  }
  const used = told.silence ? (facts?.used ?? []) : told.said.tracked ? told.said.sources : [];
  const { keys, selection } = install.settings;
  const [sources, oldestPodMs] = await Promise.all([
    readSources(
      cluster.client,
      { namespace, sources: known([...(about ? [about] : []), ...used]), keys, selector: selection.sourceSelector },
      { timeoutMs },
    ),
    facts && readOldestPodMs(cluster.client, namespace, facts.podLabels, { timeoutMs }),
  ]);
  const shared = {
    ...{ kind, namespace, name, facts, oldestPodMs, install, place, about, sources, nowMs: nowMs() },
    isAbsent: evidence.object.is === 'absent',
    events: valueOf(events) ?? [],
  };
  if (!told.silence) {
    const { said: account, pod, body } = told;
    const missingPermissions = await readMissingPermissions(cluster, account);
    return {
      about: { ...shared, account, silence: undefined, missingPermissions },
      leader: pod,
      body,
      isInstead,
    };
  }
  const account = accountFromObjects(asked, evidence, told.silence, { sources, nowMs: shared.nowMs });
  return {
    about: { ...shared, account, silence: told.silence, missingPermissions: [] },
    leader: undefined,
    body: account,
    isInstead,
  };
}

function known(sources: readonly { readonly kind: string; readonly name: string }[]): readonly LocalSourceRef[] {
  const refs = sources.flatMap(({ kind, name }) => {
    const one = sourceKinds.find((each) => each === kind);
    return one ? [[sourceId({ kind: one, name }), { kind: one, name }] as const] : [];
  });
  return [...new Map(refs).values()];
}

function accountFromObjects(
  { kind, namespace, name }: Asked,
  { object, install, place: { isSelected: isNamespaceSelected } }: WorkloadEvidence,
  silence: LeaderSilentError,
  { sources, nowMs }: Pick<Case, 'sources' | 'nowMs'>,
): WorkloadAccount {
  switch (object.is) {
    case 'hidden':
      throw noAnswer(silence, [object.right]);
    case 'absent': {
      const identity = { v: 1, kind: kind.kind, namespace, name } as const;
      return { ...identity, tracked: false, because: 'not-found', why: untrackedTexts['not-found'] };
    }
    case 'there': {
      const { record, used } = object.value;
      return accountOf(record, { install, sources, used, isNamespaceSelected, nowMs });
    }
  }
}

/** Only where a permission may be the cause. */
async function readMissingPermissions(cluster: Cluster, account: WorkloadAccount): Promise<readonly string[]> {
  const mayMatter = account.tracked && ['permission', 'baseline-write', 'fix'].includes(account.waitsFor ?? '');
  if (!mayMatter) return [];
  const told = await askLeader(cluster, '/v1/health', healthInspectionSchema);
  return told.silence ? [] : told.said.missingPermissions;
}
