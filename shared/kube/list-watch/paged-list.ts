import type { Clock } from '../../runtime/clock';
import type { KubeClient } from '../client/client';
import { Deadline } from '../client/deadline';
import type { Decoder, ListMetadata } from '../wire/decoder';
import { MalformedObjectError } from '../../domain/kubernetes/malformed-object-error';
import { acceptHeader, encodingOf } from '../wire/encoding';
import { GoneError, ProtocolError, TimeoutError } from '../errors';
import type { Relist } from './relist';

export interface PagedListOptions<T> {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly path: string;
  /** Selectors. */
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly pageSize: number;
  readonly decoder: Decoder<T>;
  readonly relist: Pick<Relist<T>, 'upsert' | 'malformed' | 'restart'>;
  readonly signal: AbortSignal;
  /** Called when the server has sent something. */
  onActivity(): void;
}

/** A list without new bytes for this long is aborted. */
const idleTimeoutMs = 30_000;

/**
 * Reads the complete state in pages and delivers it to `relist`, without completing the pass.
 *
 * The request has no resourceVersion, which makes it a consistent read: the API server must not answer it from a cache
 * that lags behind what a watch has already shown.
 *
 * @returns the resourceVersion to watch from.
 * @throws KubeError; GoneError only if even an unpaged list is refused as expired.
 */
export async function pagedList<T>(options: PagedListOptions<T>): Promise<string> {
  let limit: number | undefined = options.pageSize;
  let token: string | undefined;
  let resourceVersion: string | undefined;
  for (;;) {
    let page: ListMetadata;
    try {
      page = await readPage(options, limit, token);
    } catch (thrown) {
      // For a slow reader, the continue token expires with the next compaction; an unpaged list needs no token.
      if (!(thrown instanceof GoneError) || token === undefined) throw thrown;
      limit = token = resourceVersion = undefined;
      options.relist.restart();
      continue;
    }
    // All pages have one version, so that of the first page is valid for the whole list.
    resourceVersion ??= page.resourceVersion;
    if (resourceVersion === undefined) throw new ProtocolError('the list has no resourceVersion to watch from');
    if (page.continue === undefined) return resourceVersion;
    if (page.continue === token) throw new ProtocolError('the list does not advance: the same continue token twice');
    token = page.continue;
  }
}

async function readPage<T>(
  options: PagedListOptions<T>,
  limit: number | undefined,
  token: string | undefined,
): Promise<ListMetadata> {
  const { client, clock, path, query, decoder, relist, signal } = options;
  const deadline = new Deadline(clock, signal);
  try {
    const response = await client.open({
      method: 'GET',
      path,
      query: { ...query, limit: limit?.toString(), continue: token },
      accept: acceptHeader(decoder, 'list'),
      signal: deadline.signal,
    });
    const encoding = encodingOf(response.headers['content-type'], decoder);
    const splitter = encoding.newListSplitter();
    deadline.set(idleTimeoutMs);
    for await (const chunk of response.body) {
      deadline.set(idleTimeoutMs);
      options.onActivity();
      for (const bytes of splitter.push(chunk)) {
        try {
          relist.upsert(encoding.decodeItem(bytes));
        } catch (thrown) {
          if (!(thrown instanceof MalformedObjectError)) throw thrown;
          relist.malformed(thrown);
        }
      }
    }
    return splitter.end();
  } catch (thrown) {
    deadline.abort();
    if (deadline.expired) throw new TimeoutError(`the list stopped for ${idleTimeoutMs} ms before it was complete`);
    throw thrown;
  } finally {
    deadline.dispose();
  }
}
