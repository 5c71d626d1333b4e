import type { Clock } from '../../shared/runtime/clock';
import type { HintResult } from '../metrics/channel-metrics';

/** Why a change record that arrived is of no use. */
export type RecordRefusal = Extract<HintResult, 'malformed' | 'foreign_key' | 'stale' | 'refused'>;

/** What has become of the change records that arrived since the start; times are of the monotonic clock. */
export interface RecordCounts {
  readonly taken: number;
  readonly refused: number;
  readonly lastTakenMs: number | undefined;
  readonly lastRefused: { readonly atMs: number; readonly because: RecordRefusal } | undefined;
}

/** Counts change records, for people who ask whether the webhook reaches this process. */
export class ReceivedRecords {
  readonly #clock: Clock;
  #counts: RecordCounts = { taken: 0, refused: 0, lastTakenMs: undefined, lastRefused: undefined };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get counts(): RecordCounts {
    return this.#counts;
  }

  /** A record that is well-formed and of this install. It need not be of a source that anything uses. */
  taken(): void {
    this.#counts = { ...this.#counts, taken: this.#counts.taken + 1, lastTakenMs: this.#clock.monotonicMs() };
  }

  refused(because: RecordRefusal, records: number): void {
    const lastRefused = { atMs: this.#clock.monotonicMs(), because };
    this.#counts = { ...this.#counts, refused: this.#counts.refused + records, lastRefused };
  }
}
