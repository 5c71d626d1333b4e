import type { SourceKey } from '../../shared/domain/sources/source';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import type { Random } from '../../shared/runtime/random';
import { KeyQueue, type QueueResult } from '../queue/key-queue';
import { deliver } from '../../shared/kube/client/delivery';
import { tryTimeoutMs, type PostTransport } from '../../shared/outbound/post-transport';
import type { NotifyMetrics } from '../metrics/metrics';

export interface WebhookCallerOptions {
  /** Undefined in a dry run: no call is made. */
  readonly transport: PostTransport | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: NotifyMetrics;
  /** Changes of one source within this time cause one call. */
  readonly settleMs: number;
  /** Asked before each call. If it returns false, it has taken over the source. */
  readonly mayCall: (source: SourceKey) => boolean;
}

/** Exactly Reloader's body, which does not say what changed. See docs/reloader-compatibility.md, 14.3. */
const body = Buffer.from(JSON.stringify({ webhook: 'update successful' }));

/** Calls in total; for one source, one at a time. */
const concurrency = 4;
const stopGraceMs = 2_000;
const backoff = { baseMs: 1_000, maxMs: 60_000 };

/** Calls the receiver for each changed source until it answers, with backoff. */
export class WebhookCaller {
  readonly #options: WebhookCallerOptions;
  readonly #queue: KeyQueue;
  readonly #stop = new AbortController();
  /** Sources that have changed since the last call for them began, or whose last call has failed. */
  readonly #changed = new Set<SourceKey>();

  constructor(options: WebhookCallerOptions) {
    this.#options = options;
    const { clock, random } = options;
    this.#queue = new KeyQueue({ clock, random, concurrency, backoff, process: async (key) => await this.#call(key) });
  }

  add(source: SourceKey): void {
    this.#changed.add(source);
    this.#queue.add(source, this.#options.settleMs);
  }

  /**
   * Calls that wait for more changes, or for another try, are made at once: no other replica may know of them. They and
   * those in progress get a moment to finish: if one were cut off, nobody would know whether it was received.
   */
  async stop(): Promise<void> {
    const grace = this.#options.clock.timer(stopGraceMs, () => this.#stop.abort());
    for (const source of this.#changed) {
      // Otherwise its backoff would last.
      this.#queue.forget(source);
      this.#queue.add(source);
    }
    await this.#queue.whenIdle(stopGraceMs);
    await this.#queue.stop();
    grace.cancel();
  }

  /** Never rejects. */
  async #call(source: SourceKey): Promise<QueueResult> {
    const { clock, transport, logger, metrics, mayCall } = this.#options;
    this.#changed.delete(source);
    if (!mayCall(source)) return { kind: 'done' };
    if (!transport) {
      logger.info('dry run: webhook would be called', { source, dryRun: true });
      metrics.callsTotal.inc({ result: 'dry_run' });
      return { kind: 'done' };
    }
    const post = { contentType: 'application/json', body };
    const limits = { clock, timeoutMs: tryTimeoutMs, signal: this.#stop.signal };
    const outcome = await deliver(limits, async (signal) => await transport.post(post, signal));
    if (outcome.kind === 'stopped') return { kind: 'done' };
    metrics.callsTotal.inc({ result: outcome.kind });
    switch (outcome.kind) {
      case 'delivered':
        logger.info('webhook called', { source });
        return { kind: 'done' };
      case 'refused':
        logger.error('webhook refused the call, which is not made again: see --webhook-url', {
          source,
          error: outcome.why,
        });
        return { kind: 'done' };
      case 'failed': {
        const { why: error, retryAfterMs: afterMs } = outcome;
        logger.warn('webhook not called; trying again', { source, error });
        this.#changed.add(source);
        return { kind: 'failed', ...(afterMs !== undefined && { afterMs }) };
      }
    }
  }
}
