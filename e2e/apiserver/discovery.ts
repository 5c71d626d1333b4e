import type { JsonObject } from './json';
import { openApi } from './openapi';
import { apiVersionOf, type ResourceKind } from './resources';

/** The version that the server reports. */
const kubernetesVersion = 'v1.36.3';

/** Answers for non-resource paths, which kubectl requests before anything else. Undefined for any other path. */
export function discover(kinds: readonly ResourceKind[], pathname: string): JsonObject | string | undefined {
  switch (pathname) {
    case '/healthz':
    case '/livez':
    case '/readyz':
      return 'ok';
    case '/version':
      return versionInfo();
    case '/api':
      return {
        kind: 'APIVersions',
        versions: ['v1'],
        serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1' }],
      };
    case '/apis':
      return { kind: 'APIGroupList', apiVersion: 'v1', groups: groupsOf(kinds).map((group) => apiGroup(kinds, group)) };
    default:
      return openApi(kinds, pathname) ?? discoverGroup(kinds, pathname);
  }
}

function discoverGroup(kinds: readonly ResourceKind[], pathname: string): JsonObject | undefined {
  const group = /^\/apis\/([^/]+)$/.exec(pathname)?.[1];
  if (group !== undefined && groupsOf(kinds).includes(group)) {
    return { kind: 'APIGroup', apiVersion: 'v1', ...apiGroup(kinds, group) };
  }
  const groupVersion = /^\/(?:api|apis)\/(.+)$/.exec(pathname)?.[1];
  const members = kinds.filter((kind) => apiVersionOf(kind) === groupVersion);
  if (groupVersion === undefined || members.length === 0) return undefined;
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: members.flatMap(apiResources) };
}

function groupsOf(kinds: readonly ResourceKind[]): readonly string[] {
  return [...new Set(kinds.map((kind) => kind.group))].filter((group) => group !== '');
}

function apiGroup(kinds: readonly ResourceKind[], group: string): JsonObject {
  const ofGroup = kinds.filter((kind) => kind.group === group);
  const versions = [...new Set(ofGroup.map((kind) => kind.version))].map((version) => ({
    groupVersion: `${group}/${version}`,
    version,
  }));
  return { name: group, versions, preferredVersion: versions[0] ?? {} };
}

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

function apiResources(kind: ResourceKind): readonly JsonObject[] {
  const { plural: name, singular: singularName, namespaced, shortNames, categories } = kind;
  const main = { name, singularName, namespaced, kind: kind.kind, verbs, shortNames, categories };
  const subresources = kind.subresources.map((subresource) => ({
    name: `${name}/${subresource}`,
    singularName: '',
    namespaced,
    ...(subresource === 'scale' ? { group: 'autoscaling', version: 'v1', kind: 'Scale' } : { kind: kind.kind }),
    verbs: ['get', 'patch', 'update'],
  }));
  return [main, ...subresources];
}

function versionInfo(): JsonObject {
  const [major = '', minor = ''] = kubernetesVersion.slice(1).split('.');
  return {
    major,
    minor,
    gitVersion: kubernetesVersion,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: 'go1.26',
    compiler: 'gc',
    platform: 'linux/amd64',
  };
}
