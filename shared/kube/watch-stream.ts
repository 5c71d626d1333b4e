import type { Clock } from '../runtime/clock';
import type { KubeClient } from './client';
import { Deadline } from './deadline';
import type { Decoder } from './decoder';
import { acceptHeader, encodingOf } from './encoding';
import type { WatchEvent } from './watch-event';

export interface WatchStreamOptions<T> {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly path: string;
  /** Selectors. */
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly decoder: Decoder<T>;
  /** Where to go on; undefined asks for the whole state first (watch-list). */
  readonly resourceVersion: string | undefined;
  /** To end with the whole state. */
  readonly listOnly?: boolean;
  /** When the server is to end the stream. */
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
  onOpen(): void;
  /** The server has sent something. */
  onActivity(): void;
  /** Must not throw but to end the stream. */
  onEvent(event: WatchEvent<T>): void;
}

/** `deadline`: the server did not end the stream when it should have: most likely nobody is there any more. */
export type WatchEnd = 'listed' | 'ended' | 'deadline' | 'no-initial-events-end';

/** The server ends the stream first, if it is there at all. */
const deadlineGraceMs = 5_000;

/** Silence of a watch-list before its end mark: a server that ignores `sendInitialEvents` never sends one. */
const initialEventsIdleMs = 10_000;

/**
 * Reads one watch to its end. A peer that vanished without a word is noticed at `timeoutSeconds` and a little more.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists
 * @throws KubeError when the watch is refused, breaks off or does not parse; whatever `onEvent` throws.
 */
export async function watchStream<T>(options: WatchStreamOptions<T>): Promise<WatchEnd> {
  const { client, clock, path, query, decoder, resourceVersion, timeoutSeconds, signal } = options;
  const startMs = clock.monotonicMs();
  const deadline = new Deadline(clock, signal);
  let initialEvents = resourceVersion === undefined;
  const boundMs = (): number => startMs + timeoutSeconds * 1000 + deadlineGraceMs - clock.monotonicMs();
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
        ...(initialEvents ? { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' } : {}),
      },
      accept: acceptHeader(decoder, 'watch'),
      signal: deadline.signal,
      pool: 'watch',
    });
    const encoding = encodingOf(response.headers['content-type'], decoder);
    const splitter = encoding.newFrameSplitter();
    options.onOpen();
    deadline.set(initialEvents ? initialEventsIdleMs : boundMs());
    for await (const chunk of response.body) {
      options.onActivity();
      for (const frame of splitter.push(chunk)) {
        const event = encoding.decodeEvent(frame);
        options.onEvent(event);
        if (initialEvents && event.type === 'bookmark' && event.initialEventsEnd) {
          if (options.listOnly === true) return 'listed';
          initialEvents = false;
          deadline.set(boundMs());
        }
      }
      if (initialEvents) deadline.set(initialEventsIdleMs);
    }
    splitter.end();
    return initialEvents ? 'no-initial-events-end' : 'ended';
  } catch (thrown) {
    deadline.abort();
    if (deadline.expired) return initialEvents ? 'no-initial-events-end' : 'deadline';
    throw thrown;
  } finally {
    deadline.dispose();
  }
}
