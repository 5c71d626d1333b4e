import { sleep, type Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import type { Random } from '../../shared/runtime/random';
import { TokenBucket } from '../queue/token-bucket';
import { Deliveries } from '../../shared/kube/client/deliveries';
import { tryTimeoutMs, type PostTransport } from '../../shared/outbound/post-transport';
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

/**
 * Alerts that are kept while the receiver is slow. Further ones are only counted: those of the namespace that has most, so
 * that one with restarts without end does not keep the others' from being named.
 */
export const maxWaiting = 100;

const limits = { tries: 6, withinMs: 5 * 60_000, tryTimeoutMs, backoff: { baseMs: 1_000, maxMs: 60_000 } };

/** When the process ends, the last alerts are sent if the receiver accepts them at once. */
const stopGraceMs = 2_000;

interface Waiting {
  readonly namespace: string;
  readonly text: string;
}

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
  readonly #waiting: Waiting[] = [];
  /** Alerts that arrived when there was no room. */
  #surplus = 0;
  #underWay = 0;
  #run: Promise<void> | undefined;
  readonly #deliveries: Deliveries;

  constructor(options: AlertSenderOptions) {
    this.#options = options;
    const { clock, random, logger, metrics } = options;
    this.#rate = new TokenBucket(clock, alertRate);
    this.#deliveries = new Deliveries({
      ...{ clock, random, limits, signal: this.#stop.signal },
      onTry: (result) => metrics.requestsTotal.inc({ result: result === 'given_up' ? 'failed' : result }),
      onOutage: (error) =>
        logger.warn('alerts are lost, restarts go on: see ALERT_WEBHOOK_URL, ALERT_SINK and the proxy', { error }),
      onRecovery: () => logger.info('alerts are received again'),
    });
  }

  send(alert: Alert): void {
    if (this.#closing.signal.aborted) {
      this.#count('stopped', 1);
      return;
    }
    const { namespace } = alert.workload;
    if (this.#hasRoom(namespace)) this.#waiting.push({ namespace, text: alertText(alert, this.#options.sink) });
    else this.#surplus++;
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

  /** Makes room if another namespace has more than its part: the last alert of the one that has most is only counted. */
  #hasRoom(namespace: string): boolean {
    if (this.#waiting.length < maxWaiting) return true;
    const counts = new Map<string, number>([[namespace, 1]]);
    for (const { namespace: of } of this.#waiting) counts.set(of, (counts.get(of) ?? 0) + 1);
    const most = Math.max(...counts.values());
    if (counts.get(namespace) === most) return false;
    const last = this.#waiting.findLastIndex(({ namespace: of }) => counts.get(of) === most);
    this.#waiting.splice(last, 1);
    this.#surplus++;
    return true;
  }

  /** Never rejects. */
  async #sendAll(): Promise<void> {
    const { additionalInfo, sink, transport } = this.#options;
    while (this.#waiting.length > 0) {
      const batch = this.#takeBatch(await this.#turn());
      this.#underWay = batch.texts.length + batch.more;
      const post = sink.post(messageText(batch.texts, batch.more, additionalInfo));
      const result = await this.#deliveries.deliver(async (signal) => await transport.post(post, signal));
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
      let bytes = Buffer.byteLength(this.#waiting[0]?.text ?? '');
      for (const { text } of this.#waiting.slice(1)) {
        bytes += Buffer.byteLength(text) + 1;
        if (bytes > maxAlertBytes) break;
        count++;
      }
    }
    const texts = this.#waiting.splice(0, count).map(({ text }) => text);
    // The last batch mentions those without room.
    const more = this.#waiting.length === 0 ? this.#surplus : 0;
    this.#surplus -= more;
    return { texts, more };
  }

  #count(result: AlertResult, alerts: number): void {
    this.#options.metrics.alertsTotal.inc({ result }, alerts);
  }

  #gauge(): void {
    this.#options.metrics.waiting.set(this.#waiting.length + this.#surplus + this.#underWay);
  }
}
