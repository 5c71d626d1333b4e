/** The API path of each kind's collection, without a namespace. */
const collections = {
  Namespace: '/api/v1/namespaces',
  ConfigMap: 'api/v1/configmaps',
  Secret: 'api/v1/secrets',
  Event: 'api/v1/events',
  Deployment: 'apis/apps/v1/deployments',
  StatefulSet: 'apis/apps/v1/statefulsets',
  DaemonSet: 'apis/apps/v1/daemonsets',
  CronJob: 'apis/batch/v1/cronjobs',
  Job: 'apis/batch/v1/jobs',
  Rollout: 'apis/argoproj.io/v1alpha1/rollouts',
  SecretProviderClass: 'apis/secrets-store.csi.x-k8s.io/v1/secretproviderclasses',
  SecretProviderClassPodStatus: 'apis/secrets-store.csi.x-k8s.io/v1/secretproviderclasspodstatuses',
} as const;

export type Kind = keyof typeof collections;

export function isKind(kind: string): kind is Kind {
  return kind in collections;
}

/** The path of a collection in one namespace, or in all if undefined. */
export function collectionPath(kind: Kind, namespace?: string): string {
  const parts = collections[kind].split('/');
  if (kind === 'Namespace') return collections[kind];
  const within = namespace === undefined ? [] : ['namespaces', namespace];
  return ['', ...parts.slice(0, -1), ...within, ...parts.slice(-1)].join('/');
}

export function objectPath(kind: Kind, namespace: string, name: string): string {
  return `${collectionPath(kind, namespace)}/${name}`;
}
