import type { ChangeRecord } from '../../shared/domain/protocol/change-record';
import { sleep } from '../../shared/runtime/clock';
import type { ChannelDrop } from '../metrics';
import type { AdmissionTraces } from '../tracing/admission-traces';
import { ReplicaQueue, maxRecordBytes, type ReplicaQueueOptions } from './replica-queue';

export interface ChangeSenderOptions extends Omit<ReplicaQueueOptions, 'address'> {
  /** Undefined: no traces are sent. */
  readonly traces?: Pick<AdmissionTraces, 'delivery'> | undefined;
}

/** Time for unsent records when the process ends. */
const flushMs = 2_000;

/** Sends every record to every replica of the reconciler, so that a change of leader loses none. */
export class ChangeSender {
  readonly #options: ChangeSenderOptions;
  readonly #queues = new Map<string, ReplicaQueue>();

  constructor(options: ChangeSenderOptions) {
    this.#options = options;
    const { metrics } = options;
    metrics.registry.onScrape(() => {
      metrics.channelQueueRecords.set(this.queued);
      metrics.channelReplicas.set(this.#queues.size);
    });
  }

  /** The known replicas, each `ip:port`. */
  get addresses(): Iterable<string> {
    return this.#queues.keys();
  }

  /** Records that wait or are being sent, for all replicas together. */
  get queued(): number {
    return [...this.#queues.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Sets the known replicas, each `ip:port`. Records for a removed replica are dropped. */
  setReplicas(addresses: ReadonlySet<string>): void {
    for (const [address, queue] of this.#queues) {
      if (addresses.has(address)) continue;
      this.#queues.delete(address);
      queue.stop();
    }
    for (const address of addresses) {
      if (!this.#queues.has(address)) this.#queues.set(address, new ReplicaQueue({ ...this.#options, address }));
    }
  }

  /** Queues the record for each replica, without waiting. */
  send(record: ChangeRecord): void {
    const { metrics, traces } = this.#options;
    const json = JSON.stringify(record);
    const bytes = Buffer.byteLength(json);
    const onEnd = traces?.delivery(record);
    const drop = (reason: ChannelDrop): void => {
      metrics.channelDroppedRecordsTotal.inc({ reason });
      onEnd?.(reason);
    };
    if (this.#queues.size === 0) drop('no_replica');
    else if (bytes > maxRecordBytes) drop('too_large');
    else for (const queue of this.#queues.values()) queue.add({ namespace: record.namespace, json, bytes, onEnd });
  }

  /** Waits a moment for unsent records. */
  async stop(): Promise<void> {
    const flushed = new AbortController();
    const idle = Promise.all([...this.#queues.values()].map(async (queue) => await queue.idle()));
    void idle.then(() => flushed.abort());
    await sleep(this.#options.clock, flushMs, flushed.signal);
    this.setReplicas(new Set());
  }
}
