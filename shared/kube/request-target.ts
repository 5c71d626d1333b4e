import type { HttpRequest } from './transport';

/** What a request does, in RBAC terms. */
export interface RequestTarget {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`. */
  readonly verb: string;
  readonly group: string;
  /** Plural, with the subresource if there is one: `deployments/scale`. */
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly write: boolean;
}

/**
 * Parses an API path the way the server's authorizer does, so that an error can name the missing rule. A path outside
 * `/api` and `/apis` (`/readyz`) is its own resource.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authorization/#determine-the-request-verb
 */
export function requestTarget(method: HttpRequest['method'], path: string, watch = false): RequestTarget {
  const segments = path
    .split('/')
    .filter((segment) => segment !== '')
    .map(decodeSegment);
  const rest = segments[0] === 'api' ? segments.slice(2) : segments[0] === 'apis' ? segments.slice(3) : [];
  const group = segments[0] === 'apis' ? (segments[1] ?? '') : '';
  // `/namespaces/web` is the namespace object; with more path after it, it is a scope.
  const scoped = rest[0] === 'namespaces' && rest.length > 2;
  const [resource, name, subresource] = scoped ? rest.slice(2) : rest;
  return {
    verb: verbOf(method, name !== undefined, watch),
    group,
    resource: resource === undefined ? path : subresource === undefined ? resource : `${resource}/${subresource}`,
    namespace: scoped ? rest[1] : undefined,
    name,
    write: method !== 'GET',
  };
}

/** `patch deployments.apps shop/web`: the beginning of an error message. */
export function describeTarget({ verb, group, resource, namespace, name }: RequestTarget): string {
  const where = [namespace, name].filter((part) => part !== undefined).join('/');
  return `${verb} ${resource}${group === '' ? '' : `.${group}`}${where === '' ? '' : ` ${where}`}`;
}

/** The permission to grant after a 403. */
export function rbacRule({ verb, group, resource, namespace }: RequestTarget): string {
  const kind = namespace === undefined ? 'a ClusterRole' : `a Role in namespace "${namespace}"`;
  return `grant Reroll's service account the verb "${verb}" on resource "${resource}" in apiGroup "${group}" with ${kind}`;
}

function verbOf(method: HttpRequest['method'], named: boolean, watch: boolean): string {
  switch (method) {
    case 'GET':
      return watch ? 'watch' : named ? 'get' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return named ? 'delete' : 'deletecollection';
  }
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
