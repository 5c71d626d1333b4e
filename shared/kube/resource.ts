/** The API path of a resource. */
export interface Resource {
  /** '' is the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural, lower case, as in paths and RBAC rules. */
  readonly plural: string;
}

export const configMaps: Resource = { group: '', version: 'v1', plural: 'configmaps' };
export const secrets: Resource = { group: '', version: 'v1', plural: 'secrets' };
export const namespaces: Resource = { group: '', version: 'v1', plural: 'namespaces' };
export const pods: Resource = { group: '', version: 'v1', plural: 'pods' };
export const services: Resource = { group: '', version: 'v1', plural: 'services' };
export const events: Resource = { group: '', version: 'v1', plural: 'events' };
export const leases: Resource = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases' };
export const endpointSlices: Resource = { group: 'discovery.k8s.io', version: 'v1', plural: 'endpointslices' };
export const selfSubjectAccessReviews: Resource = {
  group: 'authorization.k8s.io',
  version: 'v1',
  plural: 'selfsubjectaccessreviews',
};
export const validatingWebhookConfigurations: Resource = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'validatingwebhookconfigurations',
};
export const mutatingWebhookConfigurations: Resource = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'mutatingwebhookconfigurations',
};

/**
 * Path of a collection, of one object, or of its subresource; without namespace, of the collection in all namespaces.
 */
export function resourcePath(resource: Resource, namespace?: string, name?: string, subresource?: string): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const object = name === undefined ? '' : `/${encodeURIComponent(name)}`;
  const sub = subresource === undefined ? '' : `/${subresource}`;
  return `${root}${scope}/${resource.plural}${object}${sub}`;
}

/** `configmaps` or `deployments.apps`: as in an RBAC message. */
export function resourceName(resource: Resource): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
}
