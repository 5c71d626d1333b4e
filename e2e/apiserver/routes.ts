import type { ResourceKind } from './resources';
import { badRequest, methodNotAllowed, noSuchResource } from './status';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** What a path and method request. */
export interface Route {
  readonly verb: Verb;
  readonly kind: ResourceKind;
  /** Undefined for cluster-scoped kinds and for all namespaces. */
  readonly namespace: string | undefined;
  /** Empty for a collection. */
  readonly name: string;
  readonly subresource: 'status' | 'scale' | undefined;
}

/**
 * Reads `/api/v1/…` and `/apis/GROUP/VERSION/…`.
 *
 * @throws StatusError 404 for an unknown path, 405 for a method that the path does not support.
 */
export function routeOf(kinds: readonly ResourceKind[], method: string, pathname: string, isWatch: boolean): Route {
  const segments = pathname.split('/').slice(1).map(decodeSegment);
  const [root, ...rest] = segments;
  const [group = '', version, ...path] = root === 'api' ? ['', ...rest] : rest;
  if (root !== 'api' && root !== 'apis') throw noSuchResource();

  const find = (plural: string | undefined): ResourceKind | undefined =>
    kinds.find((kind) => kind.group === group && kind.version === version && kind.plural === plural);
  // /namespaces/x is a Namespace; /namespaces/x/pods is a collection in it; /namespaces/x/status is its subresource.
  const inNamespace = path[0] === 'namespaces' && path.length >= 3 ? find(path[2]) : undefined;
  const kind = inNamespace ?? find(path[0]);
  const [name = '', subresource, ...beyond] = inNamespace === undefined ? path.slice(1) : path.slice(3);
  const namespace = inNamespace === undefined ? undefined : path[1];
  if (kind === undefined || beyond.length > 0 || (namespace !== undefined && !kind.namespaced)) throw noSuchResource();
  if (kind.namespaced && namespace === undefined && name !== '') throw noSuchResource();
  if (subresource !== undefined && subresource !== 'status' && subresource !== 'scale') throw noSuchResource();
  if (subresource !== undefined && !kind.subresources.includes(subresource)) throw noSuchResource();
  return { verb: verbOf(method, name !== '', isWatch, subresource), kind, namespace, name, subresource };
}

function verbOf(method: string, named: boolean, isWatch: boolean, subresource: string | undefined): Verb {
  switch (method) {
    case 'GET':
      return named ? 'get' : isWatch ? 'watch' : 'list';
    case 'POST':
      if (!named) return 'create';
      break;
    case 'PUT':
      if (named) return 'update';
      break;
    case 'PATCH':
      if (named) return 'patch';
      break;
    case 'DELETE':
      if (subresource === undefined) return named ? 'delete' : 'deletecollection';
      break;
    default:
      break;
  }
  throw methodNotAllowed();
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest(`invalid path segment "${segment}"`);
  }
}
