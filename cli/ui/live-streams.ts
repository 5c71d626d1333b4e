import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Timer } from '../../shared/runtime/clock';
import { toldNothing, type LiveFeed } from './live-feed';
import type { LiveMessage } from './model/live-message';
import { printableJson } from './printable-json';

/** Browsers open six connections to one server; a hidden page closes its own. */
const maxStreams = 32;

/** The page notices the end of a process that cannot say so. */
const aliveEveryMs = 5_000;

/**
 * Streams of changes, one to each open page: lines of JSON, since an `EventSource` cannot send the token. A page that does
 * not read is told later what has changed by then, so nothing is kept for it.
 */
export class LiveStreams {
  readonly #clock: Clock;
  readonly #feed: LiveFeed;
  #count = 0;

  constructor({ clock, feed }: { readonly clock: Clock; readonly feed: LiveFeed }) {
    this.#clock = clock;
    this.#feed = feed;
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    const type = { 'content-type': 'application/x-ndjson; charset=utf-8' };
    if (this.#count >= maxStreams) {
      response.writeHead(503, { 'content-type': 'application/json; charset=utf-8' });
      response.end(JSON.stringify({ message: `more than ${maxStreams} pages are open: close some of them` }));
      return;
    }
    response.writeHead(200, type);
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    this.#count++;
    let told = toldNothing;
    let alive: Timer | undefined;
    const write = (message: LiveMessage): void => {
      response.write(`${printableJson(message)}\n`);
      alive?.cancel();
      alive = this.#clock.timer(aliveEveryMs, () => {
        if (!response.writableNeedDrain) write(this.#feed.alive());
      });
    };
    const push = (): void => {
      if (response.writableNeedDrain) return;
      const news = this.#feed.news(told);
      if (!news) return;
      told = news.told;
      write(news.message);
    };
    const unsubscribe = this.#feed.subscribe(push);
    response.on('drain', push);
    response.on('error', () => undefined);
    response.on('close', () => {
      unsubscribe();
      alive?.cancel();
      this.#count--;
    });
    push();
  }
}
