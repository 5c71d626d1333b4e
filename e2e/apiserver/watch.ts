import type { Clock, Timer } from '../../shared/runtime/clock';
import type { Random } from '../../shared/runtime/random';
import { ByteStream } from './byte-stream';
import { type ListOptions, parseResourceVersion } from './list';
import type { KubeObject } from './objects';
import type { Representation, WatchEventType } from './representation';
import { apiVersionOf, type ResourceKind } from './resources';
import { badRequest, invalidListOptions, StatusError } from './status';
import type { Store, WriteRecord } from './store';
import type { WatchCache } from './watch-cache';

/** How the server treats sendInitialEvents: new servers support it, old ones reject or ignore it. */
export type WatchListSupport = 'supported' | 'rejected' | 'ignored';

export interface WatchDependencies {
  readonly store: Store;
  readonly cache: WatchCache;
  readonly clock: Clock;
  readonly random: Random;
  readonly bookmarkIntervalMs: number;
  readonly watchList: WatchListSupport;
}

interface WatchRequest {
  readonly kind: ResourceKind;
  readonly namespace: string | undefined;
  readonly options: ListOptions;
  readonly sendInitialEvents: boolean;
  readonly bookmarks: boolean;
  readonly timeoutMs: number;
}

/** Without timeoutSeconds, a watch lasts one to two times this long (kube-apiserver's --min-request-timeout). */
const minTimeoutMs = 1_800_000;
/** The server sends a last bookmark this long before it ends a watch, so that the client can resume from close by. */
const lastBookmarkMs = 2_000;

/** @throws StatusError 400 or 422 if the query is invalid. */
export function parseWatchRequest(
  dependencies: Pick<WatchDependencies, 'watchList' | 'random'>,
  kind: ResourceKind,
  namespace: string | undefined,
  options: ListOptions,
  query: URLSearchParams,
): WatchRequest {
  const sendInitialEvents = query.get('sendInitialEvents');
  const asked = dependencies.watchList === 'ignored' ? null : sendInitialEvents;
  if (asked !== null && dependencies.watchList === 'rejected') {
    throw invalidListOptions(
      'sendInitialEvents',
      'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
    );
  }
  if (asked === null && options.resourceVersionMatch !== '' && dependencies.watchList !== 'ignored') {
    throw invalidListOptions(
      'resourceVersionMatch',
      'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    );
  }
  if (asked !== null && options.resourceVersionMatch !== 'NotOlderThan') {
    throw invalidListOptions(
      'resourceVersionMatch',
      'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    );
  }
  const timeoutSeconds = Number(query.get('timeoutSeconds') ?? '0');
  if (!Number.isSafeInteger(timeoutSeconds)) throw badRequest('timeoutSeconds must be a number');
  return {
    kind,
    namespace,
    options,
    sendInitialEvents: asked === 'true' || asked === '1',
    bookmarks: isTrue(query.get('allowWatchBookmarks')),
    timeoutMs: timeoutSeconds > 0 ? timeoutSeconds * 1000 : minTimeoutMs * (1 + dependencies.random.float()),
  };
}

export function isTrue(value: string | null): boolean {
  return value === 'true' || value === '1';
}

/**
 * Opens a watch. It sends the events since its resourceVersion, or the current state, and then each new event.
 *
 * If the resourceVersion is too old, the answer is 200 with an ERROR event, as in kube-apiserver. A resourceVersion
 * that is not reached yet is no error: the watch sends nothing, not even bookmarks, for versions up to it.
 */
export function openWatch(
  { store, cache, clock, bookmarkIntervalMs }: WatchDependencies,
  { kind, namespace, options, sendInitialEvents, bookmarks, timeoutMs }: WatchRequest,
  representation: Representation,
): ByteStream {
  const timers: Timer[] = [];
  let unsubscribe = (): void => undefined;
  const stream = new ByteStream(() => {
    unsubscribe();
    for (const timer of timers) timer.cancel();
  });
  const inScope = (object: KubeObject): boolean =>
    (namespace === undefined || object.metadata.namespace === namespace) && options.matches(object);
  let first = true;
  const send = (type: WatchEventType, object: KubeObject): void => {
    stream.push(representation.watchEvent(type, object, first));
    first = false;
  };
  const revision = parseResourceVersion(options.resourceVersion);
  const isNews = (version: number): boolean => sendInitialEvents || version > revision;
  const deliver = (record: WriteRecord): void => {
    if (!isNews(record.revision)) return;
    const event = visibleEvent(record, inScope);
    if (event !== undefined) send(event.type, event.object);
  };
  const sendBookmark = (annotations?: Readonly<Record<string, string>>): void => {
    if (isNews(store.revision)) send('BOOKMARK', bookmarkOf(kind, store.revision, annotations));
  };

  try {
    if (revision === 0 || sendInitialEvents)
      for (const object of store.list(kind)) if (inScope(object)) send('ADDED', object);
    if (sendInitialEvents && bookmarks) sendBookmark({ 'k8s.io/initial-events-end': 'true' });
    if (revision > 0 && !sendInitialEvents) for (const record of cache.since(kind, revision)) deliver(record);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    stream.push(representation.errorEvent(error.toStatus()));
    stream.end();
    return stream;
  }
  unsubscribe = cache.subscribe(kind, { take: deliver, end: () => stream.end() });
  timers.push(clock.timer(timeoutMs, () => stream.end()));
  if (bookmarks) {
    const repeat = (): void => {
      sendBookmark();
      timers[1] = clock.timer(bookmarkIntervalMs, repeat);
    };
    timers[1] = clock.timer(bookmarkIntervalMs, repeat);
    if (timeoutMs > lastBookmarkMs) timers[2] = clock.timer(timeoutMs - lastBookmarkMs, sendBookmark);
  }
  return stream;
}

/** With a selector, an object that stops matching is reported as deleted, and one that starts matching as added. */
function visibleEvent(
  { type, object, previous }: WriteRecord,
  inScope: (object: KubeObject) => boolean,
): { readonly type: WatchEventType; readonly object: KubeObject } | undefined {
  const before = previous !== undefined && inScope(previous);
  const after = type !== 'DELETED' && inScope(object);
  if (before && after) return { type: 'MODIFIED', object };
  if (after) return { type: 'ADDED', object };
  if (!before) return undefined;
  // The client gets the object as it last matched, but with the resourceVersion of the write that removed it.
  const { resourceVersion } = object.metadata;
  const last = type === 'DELETED' ? object : { ...previous, metadata: { ...previous.metadata, resourceVersion } };
  return { type: 'DELETED', object: last };
}

function bookmarkOf(
  kind: ResourceKind,
  revision: number,
  annotations: Readonly<Record<string, string>> | undefined,
): KubeObject {
  const metadata = { resourceVersion: String(revision), ...(annotations === undefined ? {} : { annotations }) };
  // A bookmark has only these fields, and lacks others that every stored object has.
  return { kind: kind.kind, apiVersion: apiVersionOf(kind), metadata } as unknown as KubeObject;
}
