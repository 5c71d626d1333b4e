import { workloadKind, type WorkloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import {
  askingRollouts,
  borrowedFrom,
  isRestartedItself,
  joinedDeployment,
  joinedRollout,
  withOtherTemplate,
  type ReferringRollout,
} from '../../shared/domain/workloads/workload-ref';
import { readWorkload, type WorkloadRecord } from '../../shared/domain/workloads/workload';
import type { KubeClient } from '../../shared/kube/client/client';
import { getObject, listObjects, type RequestLimits } from '../../shared/kube/client/objects';
import type { Install } from './install';
import { valueOf } from './seen';
import { lookAtKind } from './seen-kind';

/** A workload by its name within its namespace. */
export interface OtherWorkload {
  readonly kind: WorkloadKind;
  readonly name: string;
}

/** A workload as Reroll treats it. */
export interface JoinedWorkload {
  readonly record: WorkloadRecord;
  /**
   * The one that is restarted in its place, because they share a template: the Deployment that a Rollout refers to, or
   * that Rollout.
   */
  readonly restartedInstead: OtherWorkload | undefined;
}

type Settings = Install['settings'];

/** Argo Rollouts that take their template from a Deployment, joined with it among these workloads, as the leader joins them. */
export function joinedWorkloads(
  records: readonly WorkloadRecord[],
  { policy, keys }: Settings,
): readonly JoinedWorkload[] {
  const deployments = new Map<string, WorkloadRecord>();
  const rollouts = new Map<string, ReferringRollout[]>();
  for (const record of records) {
    const deployment = borrowedFrom(record);
    if (record.kind === 'Deployment') deployments.set(keyOf(record, record.name), record);
    if (deployment === undefined) continue;
    const key = keyOf(record, deployment);
    rollouts.set(key, [...(rollouts.get(key) ?? []), { record, askedAtMs: undefined }]);
  }
  return records.map((record) => {
    const name = record.kind === 'Deployment' ? record.name : borrowedFrom(record);
    if (name === undefined) {
      const isBorrowed = record.rollout?.workloadRef !== undefined;
      return { record: isBorrowed ? withOtherTemplate(record, policy, keys) : record, restartedInstead: undefined };
    }
    const key = keyOf(record, name);
    const asking = askingRollouts(rollouts.get(key) ?? [], policy);
    const deployment = deployments.get(key);
    const isDeployment = deployment === undefined || isRestartedItself(deployment, asking);
    if (record.kind === 'Deployment') {
      const [rollout] = asking;
      const instead = !isDeployment && rollout && { kind: workloadKind('Rollout'), name: rollout.record.name };
      return { record: joinedDeployment(record, asking), restartedInstead: instead || undefined };
    }
    return {
      record: joinedRollout(record, deployment, asking),
      restartedInstead: isDeployment ? { kind: workloadKind('Deployment'), name } : undefined,
    };
  });
}

/** The same for one workload. The others are read if there may be any that share its template. */
export async function readJoined(
  client: KubeClient,
  { kind, object }: { readonly kind: WorkloadKind; readonly object: unknown },
  { settings }: Install,
  limits: RequestLimits,
): Promise<JoinedWorkload> {
  const own = readLent(kind, object, settings);
  const { namespace } = own;
  const deployment = borrowedFrom(own);
  if (kind.kind !== 'Deployment' && deployment === undefined) {
    return joinedWorkloads([own], settings)[0] ?? { record: own, restartedInstead: undefined };
  }
  const [ofDeployment, ofRollout] = [workloadKind('Deployment'), workloadKind('Rollout')];
  const read = async <T>({ resource }: WorkloadKind, reading: Promise<T>): Promise<T | undefined> =>
    valueOf(await lookAtKind(client, resource, reading, limits));
  const [lender, rollouts] = await Promise.all([
    deployment === undefined
      ? undefined
      : read(ofDeployment, getObject(client, ofDeployment.resource, namespace, deployment, limits)),
    read(ofRollout, listObjects(client, ofRollout.resource, namespace, limits)),
  ]);
  const others = [
    ...(lender ? [readLent(ofDeployment, lender, settings)] : []),
    ...(rollouts ?? []).map((each) => readLent(ofRollout, each, settings)).filter(({ uid }) => uid !== own.uid),
  ];
  return joinedWorkloads([own, ...others], settings)[0] ?? { record: own, restartedInstead: undefined };
}

/** A Deployment that asks for nothing may lend its template, so that is read as well. */
export function readLent(kind: WorkloadKind, object: unknown, { keys, policy }: Settings): WorkloadRecord {
  return readWorkload(kind, object, keys, policy, { isReferenced: kind.kind === 'Deployment' });
}

function keyOf({ namespace }: WorkloadRecord, name: string): string {
  return `${namespace}/${name}`;
}
