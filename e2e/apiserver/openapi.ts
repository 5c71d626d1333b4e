import { resourcePath } from '../../shared/kube/resource';
import type { JsonObject } from './json';
import { apiVersionOf, type ResourceKind } from './resources';

/**
 * Just enough OpenAPI v3 for kubectl to leave validation to the server: each kind has a PATCH with a fieldValidation
 * parameter (k8s.io/cli-runtime's QueryParamVerifierV3). There are no schemas, so `kubectl explain` finds nothing.
 *
 * Undefined for any other path.
 */
export function openApi(kinds: readonly ResourceKind[], pathname: string): JsonObject | undefined {
  const prefix = '/openapi/v3';
  if (pathname === prefix) {
    const groupVersions = [...new Set(kinds.map(documentPath))];
    return {
      paths: Object.fromEntries(groupVersions.map((path) => [path, { serverRelativeURL: `${prefix}/${path}` }])),
    };
  }
  const members = kinds.filter((kind) => pathname === `${prefix}/${documentPath(kind)}`);
  if (members.length === 0) return undefined;
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'unversioned' },
    paths: Object.fromEntries(members.map((kind) => [patchPath(kind), { patch: patchOperation(kind) }])),
  };
}

function documentPath(kind: ResourceKind): string {
  return `${kind.group === '' ? 'api' : 'apis'}/${apiVersionOf(kind)}`;
}

function patchPath(kind: ResourceKind): string {
  const collection = resourcePath(kind);
  const namespaced = collection.replace(/[^/]+$/, (plural) => `namespaces/{namespace}/${plural}`);
  return `${kind.namespaced ? namespaced : collection}/{name}`;
}

function patchOperation({ group, version, kind }: ResourceKind): JsonObject {
  return {
    'x-kubernetes-action': 'patch',
    'x-kubernetes-group-version-kind': { group, version, kind },
    parameters: [{ name: 'fieldValidation', in: 'query', schema: { type: 'string', uniqueItems: true } }],
    responses: {},
  };
}
