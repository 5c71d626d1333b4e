import type { GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import { objectKey, type ObjectKey } from '../../shared/domain/kubernetes/object-key';
import { workloadKind, type WorkloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import {
  askingRollouts,
  referencedDeployment,
  isRestartedItself,
  joinedDeployment,
  joinedRollout,
  speakerOf,
  withOtherTemplate,
  type ReferringRollout,
} from '../../shared/domain/workloads/workload-ref';
import { readWorkload, type WorkloadRecord } from '../../shared/domain/workloads/workload';
import type { KubeClient } from '../../shared/kube/client/client';
import { getObject, type RequestLimits } from '../../shared/kube/client/objects';
import { objectName } from '../../shared/runtime/options/option-schemas';
import type { Install } from './install';
import { look, valueOf } from './seen';
import { lookAtKinds } from './seen-kind';

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
  /** The other of the two objects, if it says when a restart may begin. */
  readonly otherGates: OtherGates | undefined;
}

/** Another object that says when a workload may be restarted. */
export interface OtherGates extends OtherWorkload {
  /** The names of the settings that count as it says. */
  readonly settings: ReadonlySet<string>;
}

type Settings = Install['settings'];

/** Argo Rollouts that take their template from a Deployment, joined with it among these workloads, as the leader joins them. */
export function joinedWorkloads(records: readonly WorkloadRecord[], settings: Settings): readonly JoinedWorkload[] {
  return records.map(joinerAmong(records, settings));
}

function joinerAmong(
  records: readonly WorkloadRecord[],
  { policy, keys }: Settings,
): (record: WorkloadRecord) => JoinedWorkload {
  const deployments = new Map<ObjectKey, WorkloadRecord>();
  const referring = new Map<ObjectKey, ReferringRollout[]>();
  for (const record of records) {
    const { kind, namespace, name } = record;
    // The leader does not see what it leaves alone, so that speaks for no Deployment.
    if (policy.ignoredWorkloadKinds.includes(kind)) continue;
    if (kind === 'Deployment') deployments.set(objectKey(namespace, name), record);
    const referenced = referencedDeployment(record);
    if (referenced === undefined) continue;
    const key = objectKey(namespace, referenced);
    const others = referring.get(key) ?? [];
    others.push({ record, askedAtMs: undefined });
    referring.set(key, others);
  }
  // Once for each Deployment: thousands of Rollouts may refer to one.
  const asking = new Map([...referring].map(([key, rollouts]) => [key, askingRollouts(rollouts, policy)]));
  return (record) => {
    const { kind, namespace } = record;
    if (policy.ignoredWorkloadKinds.includes(kind))
      return { record, restartedInstead: undefined, otherGates: undefined };
    const name = kind === 'Deployment' ? record.name : referencedDeployment(record);
    if (name === undefined) {
      const isReferring = record.rollout?.workloadRef !== undefined;
      const alone = { restartedInstead: undefined, otherGates: undefined };
      return { ...alone, record: isReferring ? withOtherTemplate(record, policy, keys) : record };
    }
    const key = objectKey(namespace, name);
    const ofDeployment = asking.get(key) ?? [];
    const deployment = deployments.get(key);
    const isDeployment = deployment === undefined || isRestartedItself(deployment, ofDeployment);
    if (kind === 'Deployment') {
      const [rollout] = isDeployment ? [] : ofDeployment;
      return {
        record: joinedDeployment(record, ofDeployment),
        restartedInstead: rollout && { kind: workloadKind('Rollout'), name: rollout.record.name },
        otherGates: otherGates(speakerOf(ofDeployment)?.record),
      };
    }
    return {
      record: joinedRollout(record, deployment, ofDeployment),
      restartedInstead: isDeployment ? { kind: workloadKind('Deployment'), name } : undefined,
      otherGates: otherGates(deployment, record.gates),
    };
  };
}

/** What `other` says, but for what counts before it. */
function otherGates(other: WorkloadRecord | undefined, before: GateSettings = {}): OtherGates | undefined {
  if (!other?.gates) return undefined;
  const settings = new Set(Object.keys(other.gates).filter((setting) => !(setting in before)));
  return { kind: workloadKind(other.kind), name: other.name, settings };
}

/** The same for one workload. The others are read if there may be any that share its template. */
export async function readJoined(
  client: KubeClient,
  { kind, object }: { readonly kind: WorkloadKind; readonly object: unknown },
  { settings }: Install,
  limits: RequestLimits,
): Promise<JoinedWorkload> {
  const own = readReferenceable(kind, object, settings);
  const { namespace } = own;
  const deployment = referencedDeployment(own);
  if (kind.kind !== 'Deployment' && deployment === undefined) return joinerAmong([own], settings)(own);
  const [ofDeployment, ofRollout] = [workloadKind('Deployment'), workloadKind('Rollout')];
  const [referenced, rollouts] = await Promise.all([
    // The API server refuses a question for a name that no object has.
    deployment === undefined || !objectName.safeParse(deployment).success
      ? undefined
      : look(getObject(client, ofDeployment.resource, namespace, deployment, limits)).then(valueOf),
    lookAtKinds(client, [ofRollout], namespace, limits, (each, rollout) => [
      readReferenceable(each, rollout, settings),
    ]),
  ]);
  const others = [
    ...(referenced ? [readReferenceable(ofDeployment, referenced, settings)] : []),
    ...rollouts.values.filter(({ uid }) => uid !== own.uid),
  ];
  return joinerAmong([own, ...others], settings)(own);
}

/** A Deployment that asks for nothing may be referenced by a Rollout, so that is read as well. */
export function readReferenceable(kind: WorkloadKind, object: unknown, { keys, policy }: Settings): WorkloadRecord {
  return readWorkload(kind, object, keys, policy, { isReferenced: kind.kind === 'Deployment' });
}
