import { sleep, type Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import { backoffMs, type Random } from '../../shared/runtime/random';
import { TokenBucket } from '../queue/token-bucket';
import { deliver, type Delivery } from '../outbound/delivery';
import type { Post, PostTransport } from '../outbound/post-transport';
import type { Alert, AlertSink } from './alert';
import type { AlertMetrics, AlertResult } from '../metrics/alert-metrics';
import { alertText, maxAlertBytes, messageText } from './message';
import type { AlertFormatter } from './alert-formatter';

export interface AlertSenderOptions {
  readonly transport: PostTransport;
  readonly sink: AlertFormatter;
  /** Stands before each message. */
  readonly additionalInfo: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: AlertMetrics;
}

/** What Slack asks for: a message a second, with short bursts above. */
export const alertRate = { perSecond: 1, burst: 10 };
const ratePollMs = 1_000 / alertRate.perSecond;

/** Alerts whose names are kept while the receiver is slow; what comes beyond is counted. */
export const maxWaiting = 100;

const retryLimits = { tries: 6, withinMs: 5 * 60_000 };
const retryBackoff = { baseMs: 1_000, maxMs: 60_000 };

/** At the end of the process: the last restarts are told if the receiver takes them at once. */
const stopGraceMs = 2_000;

/** Alerts that travel in one message. */
interface Batch {
  readonly texts: readonly string[];
  /** Besides those, known by their number alone. */
  readonly more: number;
}

/**
 * Tells a receiver outside of the cluster of restarts, one request at a time and beside the restarts themselves: it
 * may hang, refuse or be gone, and nothing waits for it. A message is one alert; where there are too many, several.
 */
export class AlertSender implements AlertSink {
  readonly #options: AlertSenderOptions;
  readonly #rate: TokenBucket;
  /** No more are taken; those that wait go out together. */
  readonly #closing = new AbortController();
  /** Nothing is sent any more. */
  readonly #stop = new AbortController();
  readonly #waiting: string[] = [];
  /** Alerts that came when there was no room. */
  #surplus = 0;
  #underWay = 0;
  #run: Promise<void> | undefined;
  /** So that an outage is told once. */
  #failing = false;

  constructor(options: AlertSenderOptions) {
    this.#options = options;
    this.#rate = new TokenBucket(options.clock, alertRate);
  }

  send(alert: Alert): void {
    if (this.#closing.signal.aborted) {
      this.#count('stopped', 1);
      return;
    }
    if (this.#waiting.length >= maxWaiting) this.#surplus++;
    else this.#waiting.push(alertText(alert, this.#options.sink));
    this.#gauge();
    this.#run ??= this.#sendAll();
  }

  /** Resolves soon: what cannot be sent by then is lost, and counted. */
  async stop(): Promise<void> {
    this.#closing.abort();
    const grace = this.#options.clock.timer(stopGraceMs, () => this.#stop.abort());
    await this.#run;
    grace.cancel();
  }

  /** Never rejects. */
  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#takeBatch(await this.#turn());
      this.#underWay = batch.texts.length + batch.more;
      const result = await this.#deliver(batch);
      this.#count(result, batch.texts.length);
      this.#count(result === 'sent' ? 'summarised' : result, batch.more);
      this.#underWay = 0;
      this.#gauge();
    }
    this.#run = undefined;
  }

  /** Waits until another message may go out. Without a wait an alert goes alone, as Reloader's do; after one, in company. */
  async #turn(): Promise<'alone' | 'together'> {
    const { signal } = this.#closing;
    if (!signal.aborted && this.#rate.take()) return 'alone';
    do await sleep(this.#options.clock, ratePollMs, signal);
    while (!signal.aborted && !this.#rate.take());
    return 'together';
  }

  #takeBatch(how: 'alone' | 'together'): Batch {
    let count = 1;
    if (how === 'together') {
      let bytes = Buffer.byteLength(this.#waiting[0] ?? '');
      for (const text of this.#waiting.slice(1)) {
        bytes += Buffer.byteLength(text) + 1;
        if (bytes > maxAlertBytes) break;
        count++;
      }
    }
    const texts = this.#waiting.splice(0, count);
    // What there was no room for came after all that had room: it is told of with the last of these.
    const more = this.#waiting.length === 0 ? this.#surplus : 0;
    this.#surplus -= more;
    return { texts, more };
  }

  async #deliver({ texts, more }: Batch): Promise<AlertResult> {
    const { clock, random, sink, additionalInfo } = this.#options;
    const post = sink.post(messageText(texts, more, additionalInfo));
    const untilMs = clock.monotonicMs() + retryLimits.withinMs;
    for (let tries = 1; ; tries++) {
      const outcome = await this.#try(post);
      switch (outcome.kind) {
        case 'delivered':
          this.#recovered();
          return 'sent';
        case 'refused':
          this.#lost(outcome.why);
          return 'refused';
        case 'stopped':
          return 'stopped';
        case 'failed': {
          const waitMs = Math.max(backoffMs(random, tries - 1, retryBackoff), outcome.retryAfterMs ?? 0);
          if (tries >= retryLimits.tries || clock.monotonicMs() + waitMs > untilMs) {
            this.#lost(outcome.why);
            return 'unreachable';
          }
          await sleep(clock, waitMs, this.#stop.signal);
        }
      }
    }
  }

  async #try(post: Post): Promise<Delivery> {
    const outcome = await deliver(this.#options, post, this.#stop.signal);
    if (outcome.kind !== 'stopped') this.#options.metrics.requestsTotal.inc({ result: outcome.kind });
    return outcome;
  }

  #lost(why: string): void {
    if (this.#failing) return;
    this.#failing = true;
    this.#options.logger.warn('alerts are lost, restarts go on: see ALERT_WEBHOOK_URL, ALERT_SINK and the proxy', {
      error: why,
    });
  }

  #recovered(): void {
    if (!this.#failing) return;
    this.#failing = false;
    this.#options.logger.info('alerts are received again');
  }

  #count(result: AlertResult, alerts: number): void {
    this.#options.metrics.alertsTotal.inc({ result }, alerts);
  }

  #gauge(): void {
    this.#options.metrics.waiting.set(this.#waiting.length + this.#surplus + this.#underWay);
  }
}
