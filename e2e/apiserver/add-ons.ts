import type { JsonObject } from './json';
import type { ObjectInput } from './objects';
import { deployment, type WorkloadOptions } from './cluster';
import { customKind } from './resources';

/** Kinds that come with an add-on. A server serves them only when told to, and can stop serving them. */
export const rolloutKind = customKind({
  group: 'argoproj.io',
  version: 'v1alpha1',
  kind: 'Rollout',
  plural: 'rollouts',
  shortNames: ['ro'],
  subresources: ['status', 'scale'],
});

export const deploymentConfigKind = customKind({
  group: 'apps.openshift.io',
  version: 'v1',
  kind: 'DeploymentConfig',
  plural: 'deploymentconfigs',
  shortNames: ['dc'],
  subresources: ['status', 'scale'],
});

const csi = { group: 'secrets-store.csi.x-k8s.io', version: 'v1', generation: 'spec' } as const;
export const secretProviderClassKind = customKind({
  ...csi,
  kind: 'SecretProviderClass',
  plural: 'secretproviderclasses',
});
/** Its status is not a subresource. */
export const secretProviderClassPodStatusKind = customKind({
  ...csi,
  kind: 'SecretProviderClassPodStatus',
  plural: 'secretproviderclasspodstatuses',
});

export function secretProviderClass(name: string, annotations: Readonly<Record<string, string>> = {}): ObjectInput {
  return {
    apiVersion: 'secrets-store.csi.x-k8s.io/v1',
    kind: 'SecretProviderClass',
    metadata: { name, namespace: 'default', annotations },
    spec: { provider: 'vault' },
  };
}

/** The CSI driver's report for one pod's volume: the version of each mounted object. Null means not reported yet. */
export function secretProviderClassPodStatus(
  pod: string,
  className: string,
  versions: Readonly<Record<string, string>> | null,
): ObjectInput {
  const objects = versions && Object.entries(versions).map(([id, version]) => ({ id, version }));
  return {
    apiVersion: 'secrets-store.csi.x-k8s.io/v1',
    kind: 'SecretProviderClassPodStatus',
    metadata: { name: `${pod}-default-${className}`, namespace: 'default' },
    status: { podName: pod, secretProviderClassName: className, mounted: true, ...(objects && { objects }) },
  };
}

/** A pod's volume and volume mount for a SecretProviderClass. */
export function csiVolume(className: string): Pick<WorkloadOptions, 'volumes' | 'volumeMounts'> {
  const csi = { driver: 'secrets-store.csi.k8s.io', volumeAttributes: { secretProviderClass: className } };
  return { volumes: [{ name: className, csi }], volumeMounts: [{ name: className, mountPath: '/secrets' }] };
}

/** An Argo Rollout with its own pod template. */
export function rollout(options: WorkloadOptions): ObjectInput {
  const { spec, ...rest } = deployment(options);
  const strategy = { canary: { steps: [{ setWeight: 20 }, { pause: {} }] } };
  return { ...rest, apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', spec: { strategy, ...(spec as JsonObject) } };
}

/** An Argo Rollout that takes its pod template from another object in its namespace (`workloadRef`). */
export function rolloutOf(
  name: string,
  annotations: Readonly<Record<string, string>>,
  ref: { readonly kind: string; readonly name: string } = { kind: 'Deployment', name: 'web' },
): ObjectInput {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Rollout',
    metadata: { name, namespace: 'default', annotations },
    spec: { replicas: 1, strategy: { canary: {} }, workloadRef: { apiVersion: 'apps/v1', ...ref } },
  };
}

export function deploymentConfig(options: WorkloadOptions): ObjectInput {
  const { spec, ...rest } = deployment(options);
  const { selector, ...others } = spec as JsonObject & { readonly selector: JsonObject };
  const changed = { selector: selector['matchLabels'] ?? {}, strategy: { type: 'Rolling' } };
  return {
    ...rest,
    apiVersion: 'apps.openshift.io/v1',
    kind: 'DeploymentConfig',
    spec: { ...others, ...changed },
  };
}
