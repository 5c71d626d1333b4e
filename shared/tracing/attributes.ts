import {
  ATTR_ERROR_TYPE,
  ATTR_K8S_CRONJOB_NAME,
  ATTR_K8S_CRONJOB_UID,
  ATTR_K8S_DAEMONSET_NAME,
  ATTR_K8S_DAEMONSET_UID,
  ATTR_K8S_DEPLOYMENT_NAME,
  ATTR_K8S_DEPLOYMENT_UID,
  ATTR_K8S_JOB_NAME,
  ATTR_K8S_JOB_UID,
  ATTR_K8S_NAMESPACE_NAME,
  ATTR_K8S_STATEFULSET_NAME,
  ATTR_K8S_STATEFULSET_UID,
  ATTR_SERVER_ADDRESS,
  ATTR_SERVER_PORT,
} from '@opentelemetry/semantic-conventions';
import type { WorkloadKindName } from '../domain/kubernetes/workload-kinds';
import { describeWorkload, shownName } from '../domain/plan/describe-change';
import { sourceKey, type SourceRef } from '../domain/sources/source';
import type { WorkloadRecord } from '../domain/workloads/workload';
import type { SpanAttributes } from './span';

/** The names that Reroll gives to what OpenTelemetry has no names for. */
export const attributeNames = {
  change: 'reroll.change.id',
  source: 'reroll.source',
  keys: 'reroll.keys',
  user: 'reroll.user',
  manager: 'reroll.manager',
  why: 'reroll.why',
  workload: 'reroll.workload',
  decision: 'reroll.decision',
  restart: 'reroll.restart.id',
  strategy: 'reroll.strategy',
  moreSources: 'reroll.more_sources',
  reason: 'reroll.reason',
  wait: 'reroll.wait',
  outcome: 'reroll.outcome',
  delivery: 'reroll.delivery',
} as const;

/** Of the keys of one change, as many as a line of the log names. */
const maxKeys = 20;

/** OpenTelemetry has no names for the kinds of add-ons. */
const workloadAttributeNames: Readonly<
  Partial<Record<WorkloadKindName, { readonly name: string; readonly uid: string }>>
> = {
  Deployment: { name: ATTR_K8S_DEPLOYMENT_NAME, uid: ATTR_K8S_DEPLOYMENT_UID },
  StatefulSet: { name: ATTR_K8S_STATEFULSET_NAME, uid: ATTR_K8S_STATEFULSET_UID },
  DaemonSet: { name: ATTR_K8S_DAEMONSET_NAME, uid: ATTR_K8S_DAEMONSET_UID },
  Job: { name: ATTR_K8S_JOB_NAME, uid: ATTR_K8S_JOB_UID },
  CronJob: { name: ATTR_K8S_CRONJOB_NAME, uid: ATTR_K8S_CRONJOB_UID },
};

/** What is known of a change, wherever it is seen. */
export interface ChangeFacts {
  readonly source: SourceRef;
  readonly changeId: string;
  readonly keys?: readonly string[] | undefined;
  readonly user?: string | undefined;
  readonly manager?: string | undefined;
}

export function changeAttributes({ source, changeId, keys = [], user, manager }: ChangeFacts): SpanAttributes {
  return {
    [ATTR_K8S_NAMESPACE_NAME]: source.namespace,
    [attributeNames.source]: sourceKey(source),
    [attributeNames.change]: changeId,
    ...(keys.length > 0 && { [attributeNames.keys]: keys.slice(0, maxKeys).map(shownName) }),
    ...(user !== undefined && { [attributeNames.user]: shownName(user) }),
    ...(manager !== undefined && { [attributeNames.manager]: shownName(manager) }),
  };
}

export function workloadAttributes(
  workload: Pick<WorkloadRecord, 'kind' | 'namespace' | 'name' | 'uid'>,
): SpanAttributes {
  const { kind, namespace, name, uid } = workload;
  const names = workloadAttributeNames[kind];
  return {
    [ATTR_K8S_NAMESPACE_NAME]: namespace,
    [attributeNames.workload]: describeWorkload(workload),
    ...(names && { [names.name]: name, [names.uid]: uid }),
  };
}

/** `code` identifies the error, and is safe: a message may quote what is refused. */
export function errorAttributes(code: string): SpanAttributes {
  return { [ATTR_ERROR_TYPE]: code };
}

/** Of an `ip:port`. */
export function serverAttributes(address: string): SpanAttributes {
  const { hostname, port } = new URL(`https://${address}`);
  return { [ATTR_SERVER_ADDRESS]: hostname.replace(/^\[|\]$/g, ''), [ATTR_SERVER_PORT]: Number(port) || 443 };
}
