import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { sourceGroups, type SourceRef } from '../../shared/domain/sources/source';
import type { EventRegarding } from '../../shared/kube/client/events';
import type { EventTarget } from './budget-events';

/** The workload that an Event is about. */
export function regardingWorkload({ kind, namespace, name, uid }: EventTarget): EventRegarding {
  const { group, version } = workloadKind(kind).resource;
  return { apiVersion: `${group}/${version}`, kind, namespace, name, uid };
}

/** The source that an Event is about. */
export function regardingSource({ kind, namespace, name }: SourceRef, uid: string): EventRegarding {
  const group = sourceGroups[kind];
  return { apiVersion: group === '' ? 'v1' : `${group}/v1`, kind, namespace, name, uid };
}
