import { errorMessage } from '../../shared/domain/errors';
import { isRbacForbidden } from '../../shared/kube/client/permission-probe';
import { AlreadyExistsError, ConflictError, NotFoundError, type ForbiddenError } from '../../shared/kube/errors';
import type { Clock, Timer } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import { backoffMs, type BackoffOptions, type Random } from '../../shared/runtime/random';
import { HistoryLog } from './history-log';
import type { HistoryStore } from './history-store';

export interface HistoryWriterOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Undefined: the history is kept in memory alone. */
  readonly store: Pick<HistoryStore, 'read' | 'write'> | undefined;
  /** Called if a right is missing: from here on the history is in memory, and the right is asked for now and then. */
  readonly onRefused: (error: ForbiddenError) => void;
  /** The history of earlier leaders is read. */
  readonly onRead: () => void;
}

/** Lines that come within this time are one write. */
const batchMs = 5_000;
const backoff: BackoffOptions = { baseMs: 1_000, maxMs: 60_000 };
/** A right may be granted later. */
const refusedMs = 10 * 60_000;
/** At the end of the process, more than enough for an API server that answers. */
const lastWriteMs = 3_000;

/**
 * Reads the history when a term begins, and writes what is added to it, some seconds later and many lines at once.
 *
 *     begin ──▶ read ──▶ idle ──▶ wait (batch) ──▶ write ──▶ idle
 *                ▲                     ▲             │
 *                └── another wrote ────┴── failed ───┘
 */
export class HistoryWriter {
  readonly #options: HistoryWriterOptions;
  #log = new HistoryLog();
  /** Of the current term; a later one has another. */
  #term: AbortController | undefined;
  #isRead = false;
  #timer: Timer | undefined;
  #writing: Promise<void> = Promise.resolve();
  #attempt = 0;

  constructor(options: HistoryWriterOptions) {
    this.#options = options;
  }

  get log(): HistoryLog {
    return this.#log;
  }

  begin(): void {
    this.end();
    this.#term = new AbortController();
    this.#isRead = this.#options.store === undefined;
    if (this.#isRead) this.#options.onRead();
    else this.#schedule(0);
  }

  /** The term is over: what is not written is found by the next leader, on the workloads. */
  end(): void {
    this.#term?.abort();
    this.#term = undefined;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#attempt = 0;
    this.#log = new HistoryLog();
  }

  /** Something was added to the log. */
  changed(): void {
    if (this.#isRead) this.#schedule(batchMs);
  }

  /** Writes what is left, while this process still leads. Never rejects. */
  async flush(): Promise<void> {
    this.#timer?.cancel();
    const term = this.#term;
    if (!term) return;
    // The Lease is released after this: nobody must wait for a request that hangs, whenever it began.
    const limit = this.#options.clock.timer(lastWriteMs, () => term.abort());
    await this.#writing;
    // Also after a failure: it may have been a minute ago.
    if (this.#isRead) await this.#write(term.signal).catch(() => undefined);
    limit.cancel();
    this.end();
  }

  #schedule(afterMs: number): void {
    const term = this.#term;
    if (this.#timer || !term || !this.#options.store) return;
    this.#timer = this.#options.clock.timer(afterMs, () => {
      this.#timer = undefined;
      this.#writing = this.#writing.then(async () => await this.#work(term.signal));
    });
  }

  /** Never rejects. */
  async #work(signal: AbortSignal): Promise<void> {
    try {
      if (!this.#isRead) await this.#read(signal);
      await this.#write(signal);
      this.#attempt = 0;
      if (!signal.aborted && this.#log.unwritten.length > 0) this.#schedule(batchMs);
    } catch (error) {
      if (!signal.aborted) this.#failed(error);
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const stored = await this.#options.store?.read({ signal });
    if (!stored || signal.aborted) return;
    const added = this.#log;
    this.#log = stored;
    this.#log.addAllOf(added);
    this.#isRead = true;
    this.#options.onRead();
  }

  async #write(signal: AbortSignal): Promise<void> {
    const log = this.#log;
    for (const index of log.unwritten) {
      // If room was made meanwhile, what a later segment loses is in an earlier one that is not written yet.
      if (signal.aborted || log.unwritten[0] !== index) return;
      const text = log.segment(index);
      await this.#options.store?.write(index, text, { signal });
      log.written(index, text);
    }
  }

  #failed(error: unknown): void {
    const { logger, random, onRefused } = this.#options;
    if (isOfAnotherState(error)) {
      // What is stored and what is in memory both count.
      this.#isRead = false;
      this.#schedule(backoffMs(random, this.#attempt++, backoff));
      return;
    }
    if (isRbacForbidden(error)) {
      onRefused(error);
      if (!this.#isRead) this.#options.onRead();
      this.#attempt++;
      this.#schedule(refusedMs);
      return;
    }
    const level = this.#attempt === 0 ? 'warn' : 'debug';
    logger[level]('cannot write the history of restarts; trying again', { error: errorMessage(error) });
    this.#schedule(backoffMs(random, this.#attempt++, backoff));
  }
}

/** Another replica led meanwhile, somebody wrote or deleted a segment, etcd was restored, or an answer was lost. */
function isOfAnotherState(error: unknown): boolean {
  if (error instanceof NotFoundError) return error.isOfObject;
  return error instanceof ConflictError || error instanceof AlreadyExistsError;
}
