import { changeBatchBody, maxBatchBytes, maxBatchRecords } from '../../shared/domain/protocol/change-batch';
import { channelPaths } from '../../shared/domain/protocol/channel-names';
import { Deliveries } from '../../shared/kube/client/deliveries';
import { sleep, type Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import { randomHex, type Random } from '../../shared/runtime/random';
import type { ChannelTransport } from './channel-transport';
import type { ChannelDrop, WebhookMetrics } from '../metrics';
import type { DeliveryEnd } from '../tracing/admission-traces';

export interface ReplicaQueueOptions {
  /** `ip:port` of the replica. */
  readonly address: string;
  readonly transport: ChannelTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: WebhookMetrics;
}

/** A serialized record. */
export interface QueuedRecord {
  /** Of the source that was changed. */
  readonly namespace: string;
  readonly json: string;
  readonly bytes: number;
  /** Called once, when it is delivered or dropped. */
  readonly onEnd?: DeliveryEnd | undefined;
}

/** Ten full batches: enough while a replica restarts its listener, and little for one that is gone. */
export const maxQueued = { records: 1_000, bytes: 1024 * 1024 };

/** The changes of one `kubectl apply` are sent together. */
const flushAfterMs = 20;

/** The JSON around the records of a batch. */
const envelopeBytes = 128;
export const maxRecordBytes = maxBatchBytes - envelopeBytes;

/** By then the watch has found the change, and its record is of no more use. */
const limits = { tries: 5, withinMs: 30_000, tryTimeoutMs: 5_000, backoff: { baseMs: 100, maxMs: 5_000 } };

const batchResults = { delivered: 'sent', refused: 'refused', failed: 'retried', given_up: 'given_up' } as const;

/**
 * Sends the records for one replica, in order and one batch at a time. Everything is bounded, and lost records are
 * counted. A lost record costs the name of who made a change, never a restart.
 */
export class ReplicaQueue {
  readonly #options: ReplicaQueueOptions;
  readonly #stop = new AbortController();
  #waiting: QueuedRecord[] = [];
  #waitingBytes = 0;
  #underWay = 0;
  /** Ends the wait for more records early. */
  #full = new AbortController();
  #run: Promise<void> | undefined;
  readonly #deliveries: Deliveries;

  constructor(options: ReplicaQueueOptions) {
    this.#options = options;
    const { address, clock, random, logger, metrics } = options;
    this.#deliveries = new Deliveries({
      ...{ clock, random, limits, signal: this.#stop.signal },
      onTry: (result) => metrics.channelBatchesTotal.inc({ result: batchResults[result] }),
      onOutage: (error, reason) =>
        logger.warn(
          'a reconciler does not accept change records; the watch finds these changes, but not who made them',
          { address, reason, error },
        ),
      onRecovery: () => logger.info('a reconciler accepts change records again', { address }),
    });
  }

  /** Records that wait or are being sent. */
  get size(): number {
    return this.#waiting.length + this.#underWay;
  }

  /** Resolves when nothing is left to send. */
  async idle(): Promise<void> {
    await this.#run;
  }

  /**
   * Queues a record of at most {@link maxRecordBytes}. If the queue is full, the namespace that takes most of it loses its
   * oldest: whoever writes large sources again and again must not hide who changes those of others.
   */
  add(record: QueuedRecord): void {
    if (this.#stop.signal.aborted) {
      this.#drop('stopped', [record]);
      return;
    }
    this.#waiting.push(record);
    this.#waitingBytes += record.bytes;
    while (this.#waiting.length > maxQueued.records || this.#waitingBytes > maxQueued.bytes) {
      const most = this.#largestNamespace();
      const oldest = this.#waiting.splice(
        this.#waiting.findIndex(({ namespace }) => namespace === most),
        1,
      );
      this.#waitingBytes -= oldest[0]?.bytes ?? 0;
      this.#drop('queue_full', oldest);
    }
    if (this.#isBatchFull()) this.#full.abort();
    this.#run ??= this.#sendAll();
  }

  /** Called when the replica is gone or the process ends. Drops the records that are left. */
  stop(): void {
    this.#stop.abort();
    this.#full.abort();
    this.#drop('stopped', this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  /** Never rejects. */
  async #sendAll(): Promise<void> {
    const { clock } = this.#options;
    while (this.#waiting.length > 0) {
      if (!this.#isBatchFull()) await sleep(clock, flushAfterMs, this.#full.signal);
      this.#full = new AbortController();
      const batch = this.#takeBatch();
      if (batch.length === 0) continue;
      this.#underWay = batch.length;
      await this.#deliver(batch);
      this.#underWay = 0;
    }
    this.#run = undefined;
  }

  #largestNamespace(): string {
    const sizes = new Map<string, number>();
    for (const { namespace, bytes } of this.#waiting) sizes.set(namespace, (sizes.get(namespace) ?? 0) + bytes);
    const [[most] = ['']] = [...sizes].toSorted(([, left], [, right]) => right - left);
    return most;
  }

  #isBatchFull(): boolean {
    return this.#waiting.length >= maxBatchRecords || this.#waitingBytes + this.#waiting.length > maxRecordBytes;
  }

  #takeBatch(): readonly QueuedRecord[] {
    let bytes = 0;
    let count = 0;
    for (const record of this.#waiting) {
      // `count` is the number of commas.
      if (count >= maxBatchRecords || bytes + count + record.bytes > maxRecordBytes) break;
      bytes += record.bytes;
      count++;
    }
    this.#waitingBytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  async #deliver(batch: readonly QueuedRecord[]): Promise<void> {
    const { address, random, transport } = this.#options;
    const body = changeBatchBody(
      randomHex(random, 16),
      batch.map(({ json }) => json),
    );
    const result = await this.#deliveries.deliver(
      async (signal) => await transport.post(address, channelPaths.changes, body, signal),
    );
    if (result !== 'sent') {
      this.#drop(result, batch);
      return;
    }
    for (const { onEnd } of batch) onEnd?.('sent', address);
  }

  #drop(reason: ChannelDrop, records: readonly QueuedRecord[]): void {
    const { address, metrics } = this.#options;
    metrics.channelDroppedRecordsTotal.inc({ reason }, records.length);
    for (const { onEnd } of records) onEnd?.(reason, address);
  }
}
