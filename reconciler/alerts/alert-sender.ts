import { sleep, type Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import { backoffMs, type Random } from '../../shared/runtime/random';
import { TokenBucket } from '../queue/token-bucket';
import { deliver, type Delivery } from '../../shared/kube/client/delivery';
import { tryTimeoutMs, type Post, type PostTransport } from '../../shared/outbound/post-transport';
import type { Alert, AlertSink } from './alert';
import type { AlertMetrics, AlertResult } from '../metrics/metrics';
import { alertText, maxAlertBytes, messageText } from './message';
import type { AlertFormatter } from './alert-formatters';

export interface AlertSenderOptions {
  readonly transport: PostTransport;
  readonly sink: AlertFormatter;
  /** Precedes each message. */
  readonly additionalInfo: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: AlertMetrics;
}

/** Slack's limit: a message a second, with short bursts above. */
export const alertRate = { perSecond: 1, burst: 10 };
const ratePollMs = 1_000 / alertRate.perSecond;

/** Alerts that are kept while the receiver is slow. Further ones are only counted. */
export const maxWaiting = 100;

const retryLimits = { tries: 6, withinMs: 5 * 60_000 };
const retryBackoff = { baseMs: 1_000, maxMs: 60_000 };

/** When the process ends, the last alerts are sent if the receiver accepts them at once. */
const stopGraceMs = 2_000;

interface Batch {
  readonly texts: readonly string[];
  /** Further alerts whose text was not kept. */
  readonly more: number;
}

/**
 * Sends alerts about restarts to a receiver outside the cluster, one request at a time and independent of the restarts:
 * nothing waits for a receiver that hangs, refuses or is unreachable. A message is one alert, or several if there are
 * too many.
 */
export class AlertSender implements AlertSink {
  readonly #options: AlertSenderOptions;
  readonly #rate: TokenBucket;
  /** No more alerts are accepted; those that wait are sent together. */
  readonly #closing = new AbortController();
  /** Nothing is sent any more. */
  readonly #stop = new AbortController();
  readonly #waiting: string[] = [];
  /** Alerts that arrived when there was no room. */
  #surplus = 0;
  #underWay = 0;
  #run: Promise<void> | undefined;
  /** Set during an outage, so that it is reported once. */
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

  /** Resolves soon. Alerts that cannot be sent by then are lost and counted. */
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

  /**
   * Waits until another message may be sent. An alert that did not wait is sent alone, as Reloader does; after a wait,
   * several are sent together.
   */
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
    // Alerts without room arrived after all others, so the last batch mentions them.
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
    const { clock, transport, metrics } = this.#options;
    const limits = { clock, timeoutMs: tryTimeoutMs, signal: this.#stop.signal };
    const outcome = await deliver(limits, async (signal) => await transport.post(post, signal));
    if (outcome.kind !== 'stopped') metrics.requestsTotal.inc({ result: outcome.kind });
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
