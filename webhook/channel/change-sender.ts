import type { ChangeRecord } from '../../shared/domain/protocol/change-record';
import { sleep } from '../../shared/runtime/clock';
import { ReplicaQueue, maxRecordBytes, type ReplicaQueueOptions } from './replica-queue';

export type ChangeSenderOptions = Omit<ReplicaQueueOptions, 'address'>;

/** What is under way when the process ends gets this long. */
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

  /** The replicas there are, each `ip:port`. */
  get addresses(): Iterable<string> {
    return this.#queues.keys();
  }

  /** Records that wait or are being sent, of all replicas together. */
  get queued(): number {
    return [...this.#queues.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** The replicas there are, each `ip:port`. What was on its way to one that is gone is dropped. */
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

  /** Waits for nothing and nobody. */
  send(record: ChangeRecord): void {
    const { channelDroppedRecordsTotal } = this.#options.metrics;
    const json = JSON.stringify(record);
    const bytes = Buffer.byteLength(json);
    if (this.#queues.size === 0) channelDroppedRecordsTotal.inc({ reason: 'no_replica' });
    else if (bytes > maxRecordBytes) channelDroppedRecordsTotal.inc({ reason: 'too_large' });
    else for (const queue of this.#queues.values()) queue.add({ json, bytes });
  }

  /** Lets what is under way arrive, for a moment. */
  async stop(): Promise<void> {
    const flushed = new AbortController();
    const idle = Promise.all([...this.#queues.values()].map(async (queue) => await queue.idle()));
    void idle.then(() => flushed.abort());
    await sleep(this.#options.clock, flushMs, flushed.signal);
    this.setReplicas(new Set());
  }
}
