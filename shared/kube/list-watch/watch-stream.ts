import type { Clock } from '../../runtime/clock';
import type { KubeClient } from '../client/client';
import { Deadline } from '../client/deadline';
import type { Decoder } from '../wire/decoder';
import { acceptHeader, encodingOf } from '../wire/encoding';
import type { WatchEvent } from '../wire/watch-event';
import { InitialEvents } from './initial-events';

export interface WatchStreamOptions<T> {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly path: string;
  /** Selectors. */
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly decoder: Decoder<T>;
  /** The version to resume from; undefined requests the whole state first (watch-list). */
  readonly resourceVersion: string | undefined;
  /** End the stream after the whole state. */
  readonly listOnly?: boolean;
  /** When the server should end the stream, counted from the start of the request. */
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
  onOpen(): void;
  /** Called when the server has sent something. */
  onActivity(): void;
  /** Throws only to end the stream. */
  onEvent(event: WatchEvent<T>): void;
}

/**
 * `idle`: no byte for longer than the interval between bookmarks. `deadline`: the server did not end the stream in
 * time. In both cases the peer is probably gone.
 */
export type WatchEnd = 'listed' | 'ended' | 'idle' | 'deadline' | 'no-initial-events-end';

/** Grace period after the requested timeout: a live server ends the stream before that. */
const deadlineGraceMs = 5_000;

/**
 * A server sends a bookmark every minute while the resource changes in any namespace. If no byte arrives, the watch is
 * reopened from the same version, which costs the server almost nothing.
 */
const idleMs = 90_000;

/**
 * Reads one watch to its end. A peer that has vanished is detected after 90 s.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists
 * @throws KubeError if the watch is refused, breaks off or does not parse; whatever `onEvent` throws.
 */
export async function watchStream<T>(options: WatchStreamOptions<T>): Promise<WatchEnd> {
  const { client, clock, path, query, decoder, resourceVersion, timeoutSeconds, signal } = options;
  const startMs = clock.monotonicMs();
  const deadline = new Deadline(clock, signal);
  const asksForState = resourceVersion === undefined;
  // Undefined once they are complete, or if none are expected.
  let initialEvents: InitialEvents | undefined;
  const boundMs = (): number => startMs + timeoutSeconds * 1000 + deadlineGraceMs - clock.monotonicMs();
  const silenceMs = (): number => initialEvents?.awaitedForMs ?? Math.min(idleMs, boundMs());
  try {
    const response = await client.open({
      method: 'GET',
      path,
      query: {
        ...query,
        watch: 'true',
        allowWatchBookmarks: 'true',
        timeoutSeconds: String(timeoutSeconds),
        resourceVersion,
        ...(asksForState ? { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' } : {}),
      },
      accept: acceptHeader(decoder, 'watch'),
      signal: deadline.signal,
      pool: 'watch',
    });
    const encoding = encodingOf(response.headers['content-type'], decoder);
    const splitter = encoding.newFrameSplitter();
    options.onOpen();
    if (asksForState) initialEvents = new InitialEvents(clock);
    deadline.set(silenceMs());
    for await (const chunk of response.body) {
      options.onActivity();
      let latest: WatchEvent<T> | undefined;
      for (const frame of splitter.push(chunk)) {
        const event = encoding.decodeEvent(frame);
        options.onEvent(event);
        latest = event;
        if (initialEvents && event.type === 'bookmark' && event.initialEventsEnd) {
          if (options.listOnly === true) return 'listed';
          initialEvents = undefined;
        }
      }
      // One object of each chunk is enough: to compare all of a large list would make a start longer.
      if (latest) initialEvents?.saw(latest);
      deadline.set(silenceMs());
    }
    splitter.end();
    return initialEvents ? 'no-initial-events-end' : 'ended';
  } catch (thrown) {
    deadline.abort();
    if (deadline.expired && initialEvents) return 'no-initial-events-end';
    if (deadline.expired) return boundMs() > 0 ? 'idle' : 'deadline';
    throw thrown;
  } finally {
    deadline.dispose();
  }
}
