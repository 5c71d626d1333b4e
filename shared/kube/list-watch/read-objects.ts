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
  /** As it was when this was given out: API servers remember five minutes. Undefined: as it is now. */
  readonly resourceVersion: string | undefined;
}

/** Objects per page of a list. */
const pageSize = 500;

/**
 * Finds one object by a list of its name alone: whoever may list its kind may do that, and in the encoding of lists. Undefined
 * where there is none. A quorum read, as a GET is.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list
 * @throws GoneError where the version is too long ago, NotFoundError where the resource is not served, and the other KubeErrors;
 * MalformedObjectError where the shape of the object is wrong.
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
 * Hands over all objects of a namespace, page by page, some of them twice where a list has to begin anew. Passes over what has
 * the wrong shape.
 *
 * @throws NotFoundError where the resource is not served, and the other KubeErrors.
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
