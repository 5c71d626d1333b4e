import type { Clock } from '../../runtime/clock';
import type { KubeClient } from '../client/client';
import type { Decoded, Decoder } from '../wire/decoder';
import { pagedList, type PagedListOptions } from './paged-list';
import { resourcePath, type Resource } from '../resource';

export interface ObjectsOptions<T> {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly resource: Resource;
  readonly namespace: string;
  readonly labelSelector?: string | undefined;
  readonly decoder: Pick<Decoder<T>, 'accepts' | 'fromJson' | 'fromProtobuf'>;
}

export interface FindOptions<T> extends ObjectsOptions<T> {
  readonly name: string;
  /** The version to read; undefined for the current one. API servers keep five minutes of history. */
  readonly resourceVersion: string | undefined;
}

/** Objects per page of a list. */
const pageSize = 500;

/**
 * Finds one object by listing its name: this needs only the permission to list its kind, and uses the encoding of
 * lists. Returns undefined if there is none. Without a version, it is a quorum read, like a GET.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list
 * @throws GoneError if the version is too old, NotFoundError if the resource is not served, and the other KubeErrors;
 * MalformedObjectError if the object has the wrong shape.
 */
export async function findObject<T>(options: FindOptions<T>): Promise<T | undefined> {
  const { name, resourceVersion } = options;
  const exactly = resourceVersion === undefined ? {} : { resourceVersion, resourceVersionMatch: 'Exact' };
  const query = { fieldSelector: `metadata.name=${name}`, labelSelector: options.labelSelector, ...exactly };
  let found: Decoded<T> | undefined;
  await list(options, query, 1, {
    upsert: (decoded) => void (found = decoded),
    malformed: (error) => {
      throw error;
    },
    restart: () => undefined,
  });
  return found?.object;
}

/**
 * Passes on all objects of a namespace, page by page. If a list has to start over, some objects may be passed on twice.
 * Objects with the wrong shape are skipped.
 * @throws NotFoundError if the resource is not served, and the other KubeErrors.
 */
export async function eachObject<T>(options: ObjectsOptions<T>, take: (object: T) => void): Promise<void> {
  await list(options, { labelSelector: options.labelSelector }, pageSize, {
    upsert: ({ object }) => take(object),
    malformed: () => undefined,
    restart: () => undefined,
  });
}

async function list<T>(
  { client, clock, resource, namespace, decoder }: ObjectsOptions<T>,
  query: PagedListOptions<T>['query'],
  pageSize: number,
  relist: PagedListOptions<T>['relist'],
): Promise<void> {
  const path = resourcePath(resource, namespace);
  const signal = new AbortController().signal;
  await pagedList({ client, clock, decoder, path, query, pageSize, relist, signal, onActivity: () => undefined });
}
