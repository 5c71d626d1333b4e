import type { Resource } from '../../shared/kube/resource';

/** What the server knows about a kind. To serve another kind, add a row to {@link builtInKinds}. */
export interface ResourceKind extends Resource {
  readonly kind: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly namespaced: boolean;
  readonly subresources: readonly ('status' | 'scale')[];
  /** Which changes increase `metadata.generation`. A Deployment's annotations do too, by its registry strategy. */
  readonly generation: 'never' | 'spec' | 'spec-and-annotations';
  /** For a DELETE without propagationPolicy. batch/v1 Jobs orphan their pods, for compatibility. */
  readonly defaultPropagation: 'Background' | 'Orphan';
  /** Whether an update without resourceVersion overwrites. Leases and custom resources reject it. */
  readonly unconditionalUpdate: boolean;
  /** Custom resources: no strategic merge patch and no protobuf. */
  readonly custom: boolean;
  readonly categories: readonly string[];
}

type Row = Pick<ResourceKind, 'kind' | 'plural'> & Partial<ResourceKind>;

function kind(row: Row): ResourceKind {
  return {
    group: '',
    version: 'v1',
    singular: row.kind.toLowerCase(),
    shortNames: [],
    namespaced: true,
    subresources: [],
    generation: 'never',
    defaultPropagation: 'Background',
    unconditionalUpdate: true,
    custom: false,
    categories: [],
    ...row,
  };
}

/** A row for a test's custom resource. */
export function customKind(row: Row & Pick<Resource, 'group' | 'version'>): ResourceKind {
  return kind({ generation: 'spec', unconditionalUpdate: false, custom: true, ...row });
}

const apps = { group: 'apps', generation: 'spec', categories: ['all'] } as const;
const batch = { group: 'batch', generation: 'spec', categories: ['all'], subresources: ['status'] } as const;

export const namespaceKind = kind({
  kind: 'Namespace',
  plural: 'namespaces',
  shortNames: ['ns'],
  namespaced: false,
  subresources: ['status'],
});
export const configMapKind = kind({ kind: 'ConfigMap', plural: 'configmaps', shortNames: ['cm'] });
export const secretKind = kind({ kind: 'Secret', plural: 'secrets' });
export const podKind = kind({
  kind: 'Pod',
  plural: 'pods',
  shortNames: ['po'],
  subresources: ['status'],
  generation: 'spec',
  categories: ['all'],
});
export const eventKind = kind({ kind: 'Event', plural: 'events', shortNames: ['ev'] });
const serviceAccountKind = kind({ kind: 'ServiceAccount', plural: 'serviceaccounts', shortNames: ['sa'] });
export const deploymentKind = kind({
  ...apps,
  kind: 'Deployment',
  plural: 'deployments',
  shortNames: ['deploy'],
  generation: 'spec-and-annotations',
  subresources: ['status', 'scale'],
});
export const statefulSetKind = kind({
  ...apps,
  kind: 'StatefulSet',
  plural: 'statefulsets',
  shortNames: ['sts'],
  subresources: ['status', 'scale'],
});
export const daemonSetKind = kind({
  ...apps,
  kind: 'DaemonSet',
  plural: 'daemonsets',
  shortNames: ['ds'],
  subresources: ['status'],
});
export const replicaSetKind = kind({
  ...apps,
  kind: 'ReplicaSet',
  plural: 'replicasets',
  shortNames: ['rs'],
  subresources: ['status', 'scale'],
});
export const jobKind = kind({ ...batch, kind: 'Job', plural: 'jobs', defaultPropagation: 'Orphan' });
export const cronJobKind = kind({ ...batch, kind: 'CronJob', plural: 'cronjobs', shortNames: ['cj'] });
export const leaseKind = kind({
  group: 'coordination.k8s.io',
  kind: 'Lease',
  plural: 'leases',
  unconditionalUpdate: false,
});

export const builtInKinds: readonly ResourceKind[] = [
  namespaceKind,
  configMapKind,
  secretKind,
  podKind,
  eventKind,
  serviceAccountKind,
  deploymentKind,
  statefulSetKind,
  daemonSetKind,
  replicaSetKind,
  jobKind,
  cronJobKind,
  leaseKind,
];

/** `v1` or `apps/v1`: the apiVersion of its objects. */
export function apiVersionOf({ group, version }: Resource): string {
  return group === '' ? version : `${group}/${version}`;
}
