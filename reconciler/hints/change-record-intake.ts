import { ChangeRecordError, parseChangeRecord, type ChangeRecord } from '../../shared/domain/protocol/change-record';
import type { SourceRef } from '../../shared/domain/sources/source';
import { textDigest } from '../../shared/domain/sources/content-digest';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import type { DigestKeyring } from '../sources/digest-keyring';
import type { ChannelMetrics } from '../metrics/channel-metrics';
import type { Hints } from './hints';
import { ReceivedRecords, type RecordRefusal } from './received-records';
import { RecentMap } from '../../shared/runtime/recent-map';
import { RateLimitedWarning } from '../../shared/runtime/log/rate-limited-warning';
import { TokenBucket } from '../queue/token-bucket';

export interface ChangeRecordIntakeOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: ChannelMetrics;
  readonly hints: Pick<Hints, 'offer'>;
  /** The digest key of this install. Digests under another key cannot be compared. */
  readonly keys: Pick<DigestKeyring, 'keyId'>;
  /** False: the namespace or kind is not watched, or no workload uses the source. */
  readonly isWanted: (source: SourceRef) => boolean;
}

/** The result of a batch. */
export interface Receipt {
  readonly accepted: number;
  /** Malformed, or not taken because of {@link full}. */
  readonly refused: number;
  /** There was no room for all. The batch may be sent again later; accepted records are then ignored. */
  readonly full: boolean;
}

export const maxRecordsPerSecond = 500;
export const maxRecordsBurst = 2_000;

/** Longer than a write may take, with a margin for clocks that differ. */
const maxAgeMs = 60_000;

/**
 * Enough for some tens of seconds of a flood. An id that is forgotten too early may count again. Ids are digests: a
 * megabyte in all.
 */
const maxRecentIds = 10_000;

/** Filters what the channel receives: only a fresh, well-formed record of a relevant source becomes a hint. */
export class ChangeRecordIntake {
  readonly received: ReceivedRecords;
  readonly #options: ChangeRecordIntakeOptions;
  readonly #rate: TokenBucket;
  /** Ids of records that were taken, kept as long as a replayed record would still count as fresh. */
  readonly #taken: RecentMap<true>;
  readonly #warning: RateLimitedWarning;

  constructor(options: ChangeRecordIntakeOptions) {
    this.#options = options;
    this.received = new ReceivedRecords(options.clock);
    this.#rate = new TokenBucket(options.clock, { perSecond: maxRecordsPerSecond, burst: maxRecordsBurst });
    // A record that claims to be from the future stays fresh for twice as long.
    this.#taken = new RecentMap(options.clock, { keptMs: 2 * maxAgeMs + 1, maxEntries: maxRecentIds });
    this.#warning = new RateLimitedWarning(options.clock, options.logger);
  }

  /** Takes the records of a batch, whatever they contain. */
  accept(records: readonly unknown[]): Receipt {
    let malformed = 0;
    for (const [index, value] of records.entries()) {
      const taken = this.#take(value);
      if (taken === 'malformed') malformed++;
      if (taken === 'full') {
        const left = records.length - index;
        this.#drop('refused', left, 'too many change records at once; the webhook sends them again');
        return { accepted: index - malformed, refused: left + malformed, full: true };
      }
    }
    return { accepted: records.length - malformed, refused: malformed, full: false };
  }

  #take(value: unknown): 'taken' | 'malformed' | 'full' {
    const { clock, hints, keys, isWanted } = this.#options;
    let record: ChangeRecord;
    try {
      record = parseChangeRecord(value);
    } catch (thrown) {
      if (!(thrown instanceof ChangeRecordError)) throw thrown;
      this.#drop('malformed', 1, thrown.message);
      return 'malformed';
    }
    if (!isWanted(record)) {
      this.#options.metrics.hintsTotal.inc({ result: 'filtered' });
      // Whoever reports it under another key reports nothing of use.
      if (record.keyId === keys.keyId) this.received.taken();
      return 'taken';
    }
    if (record.keyId !== keys.keyId) {
      this.#drop(
        'foreign_key',
        1,
        'change record under another digest key: restart webhook and reconciler, which read the Secret reroll-digest-key when they start',
      );
      return 'taken';
    }
    const ageMs = clock.nowMs() - record.observedAtMs;
    if (Math.abs(ageMs) > maxAgeMs) {
      this.#drop('stale', 1, `change record ${Math.round(ageMs / 1000)} s old: compare the clocks of the nodes`);
      return 'taken';
    }
    // A record sent again or replayed must not count: another user may have changed the source back since.
    const id = textDigest(`${record.id} ${record.uid} ${record.digest} ${record.user}`);
    if (this.#taken.get(id)) {
      this.#options.metrics.hintsTotal.inc({ result: 'duplicate' });
      this.received.taken();
      return 'taken';
    }
    if (!this.#rate.take() || hints.offer(record) === 'full') return 'full';
    this.#taken.set(id, true);
    this.received.taken();
    return 'taken';
  }

  #drop(result: RecordRefusal, records: number, message: string): void {
    this.#options.metrics.hintsTotal.inc({ result }, records);
    this.received.refused(result, records);
    this.#warning.warn(result, message, { result });
  }
}
