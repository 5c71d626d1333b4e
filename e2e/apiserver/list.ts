import type { KubeObject } from './objects';
import type { ListMeta } from './representation';
import type { ResourceKind } from './resources';
import { fieldSelector, labelSelector, selectedName, type Selector } from './selectors';
import { badRequest, expired, invalidListOptions, StatusError } from './status';
import { type Store, storeKey } from './store';

/** The query of a list, a watch or a deletecollection. */
export interface ListOptions {
  readonly matches: Selector;
  /** The name that the fieldSelector selects, if any. In a namespace it is looked up directly, as in etcd. */
  readonly name: string | undefined;
  /** True without any selector. Only then is the number of remaining items reported. */
  readonly unfiltered: boolean;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly limit: number;
  readonly continueToken: string;
}

interface Cursor {
  readonly revision: number;
  /** Key of the last object that was sent. */
  readonly after: string;
}

/** @throws StatusError 400 or 422 if the query is invalid. */
export function parseListOptions(kind: ResourceKind, query: URLSearchParams): ListOptions {
  const labels = query.get('labelSelector') ?? '';
  const fields = query.get('fieldSelector') ?? '';
  const byLabel = labelSelector(labels);
  const byField = fieldSelector(kind, fields);
  const limit = Number(query.get('limit') ?? '0');
  if (!Number.isSafeInteger(limit)) throw badRequest('limit must be a number');
  return {
    matches: (object) => byLabel(object) && byField(object),
    name: selectedName(fields),
    unfiltered: labels === '' && fields === '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    limit: Math.max(0, limit),
    continueToken: query.get('continue') ?? '',
  };
}

/** @throws StatusError 400 if it is not a number. */
export function parseResourceVersion(text: string): number {
  if (!/^\d*$/.test(text)) {
    throw badRequest(`resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`);
  }
  return Number(text === '' ? '0' : text);
}

/**
 * One page of a list, of `namespace` or of all namespaces.
 *
 * All pages of a list show one revision: the continue token carries it, and later writes are undone. If that revision
 * was compacted, the answer is 410 with a token that continues an inconsistent list.
 */
export function listPage(
  store: Store,
  kind: ResourceKind,
  namespace: string | undefined,
  options: ListOptions,
): { readonly objects: readonly KubeObject[]; readonly metadata: ListMeta } {
  const cursor = startOf(store, options);
  // The watch cache answers resourceVersion=0, and ignores the limit then.
  const limit = options.resourceVersion === '0' ? Infinity : options.limit === 0 ? Infinity : options.limit;
  const source =
    cursor.revision < store.revision
      ? store.listAt(kind, cursor.revision)
      : namespace !== undefined && options.name !== undefined
        ? oneOf(store.get(kind, storeKey(namespace, options.name)))
        : store.list(kind);
  const objects: KubeObject[] = [];
  let remaining = 0;
  let last = '';
  for (const object of source) {
    if (namespace !== undefined && object.metadata.namespace !== namespace) continue;
    const key = storeKey(object.metadata.namespace, object.metadata.name);
    if ((cursor.after !== '' && key <= cursor.after) || !options.matches(object)) continue;
    if (objects.length >= limit) {
      remaining += 1;
      continue;
    }
    objects.push(object);
    last = key;
  }
  const resourceVersion = String(cursor.revision);
  if (remaining === 0) return { objects, metadata: { resourceVersion } };
  const token = encodeToken({ revision: cursor.revision, after: last });
  const remainingItemCount = options.unfiltered ? { remainingItemCount: remaining } : {};
  return { objects, metadata: { resourceVersion, continue: token, ...remainingItemCount } };
}

function oneOf(object: KubeObject | undefined): readonly KubeObject[] {
  return object === undefined ? [] : [object];
}

function startOf(store: Store, options: ListOptions): Cursor {
  const { resourceVersion, resourceVersionMatch, limit, continueToken } = options;
  if (continueToken !== '') {
    if (resourceVersionMatch !== '') {
      throw invalidListOptions('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided');
    }
    if (resourceVersion !== '' && resourceVersion !== '0') {
      throw badRequest('specifying resource version is not allowed when using continue');
    }
    return resume(store, decodeToken(continueToken));
  }
  if (resourceVersionMatch !== '' && resourceVersion === '') {
    throw invalidListOptions(
      'resourceVersionMatch',
      'resourceVersionMatch is forbidden unless resourceVersion is provided',
    );
  }
  if (resourceVersionMatch === 'Exact' && resourceVersion === '0') {
    throw invalidListOptions(
      'resourceVersionMatch',
      'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    );
  }
  const revision = parseResourceVersion(resourceVersion);
  if (revision > store.revision) throw tooLargeResourceVersion(revision, store.revision);
  const exact = resourceVersionMatch === 'Exact' || (resourceVersionMatch === '' && limit > 0 && revision > 0);
  if (!exact) return { revision: store.revision, after: '' };
  if (revision < store.compactedRevision) {
    throw expired('The resourceVersion for the provided list is too old.');
  }
  return { revision, after: '' };
}

function resume(store: Store, cursor: Cursor): Cursor {
  if (cursor.revision === inconsistent) return { ...cursor, revision: store.revision };
  if (cursor.revision >= store.compactedRevision) return cursor;
  throw expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
      'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
      'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
      'deleted between the time the first chunk was returned and now may show up in the list.',
    encodeToken({ revision: inconsistent, after: cursor.after }),
  );
}

/** Means "the latest revision" in a token. */
const inconsistent = -1;

function encodeToken({ revision, after }: Cursor): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: `${after}\0` })).toString('base64url');
}

function decodeToken(token: string): Cursor {
  try {
    const decoded: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    if (typeof decoded === 'object' && decoded !== null && 'rv' in decoded && 'start' in decoded) {
      const { rv, start } = decoded;
      if (typeof rv === 'number' && typeof start === 'string') return { revision: rv, after: start.slice(0, -1) };
    }
  } catch {
    // Not JSON: rejected below, like any other token that the server did not issue.
  }
  throw badRequest('continue key is not valid: unable to decode the token');
}

function tooLargeResourceVersion(requested: number, current: number): StatusError {
  const message = `Timeout: Too large resource version: ${requested}, current: ${current}`;
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version', field: '' }];
  return new StatusError(504, 'Timeout', message, { retryAfterSeconds: 1, causes });
}
