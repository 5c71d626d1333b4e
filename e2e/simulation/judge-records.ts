import { numberAt, stringAt, type JsonObject } from '../apiserver/json';
import { sourceOfRecord } from './channel';
import type { Violation } from './judge';

/** `/mutate` and `/validate` see the same write within this time, even if a clock is set meanwhile. */
const togetherMs = 3_000;

/**
 * The answer to a review may take this long, and the review may be reported after a later one: the reviews that a
 * frozen process held arrive all at once.
 */
const answeredMs = 600;

interface Asked {
  readonly id: string;
  readonly atMs: number;
}

/**
 * Judges the records that webhooks send. A webhook must report each change once, however often it is asked about it,
 * and must not report a dry run.
 */
export class RecordJudge {
  readonly #tried = new Set<string>();
  readonly #seen = new Set<string>();
  /** The newest record, not counting repetitions, by process and object. */
  readonly #last = new Map<string, { readonly id: string; readonly change: string; readonly atMs: number }>();
  /** The reviews in their order, by process and source. */
  readonly #asked = new Map<string, Asked[]>();
  readonly #violations: Violation[] = [];

  get violations(): readonly Violation[] {
    return this.#violations;
  }

  /** A dry run was admitted under this id. */
  tried(id: string): void {
    this.#tried.add(id);
  }

  /** A review of a write to the source has reached this process. */
  asked(process: string, source: string, id: string, atMs: number): void {
    const reviews = this.#asked.get(`${process} ${source}`);
    if (reviews) reviews.push({ id, atMs });
    else this.#asked.set(`${process} ${source}`, [{ id, atMs }]);
  }

  sent(from: string, record: JsonObject): void {
    const [id = '', uid = '', digest = '', user = ''] = ['id', 'uid', 'digest', 'user'].map((field) =>
      stringAt(record, field),
    );
    if (this.#tried.has(id)) this.#found(`${from} tells of what ${user} only tried with ${sourceOfRecord(record)}`);
    const atMs = numberAt(record, 'observedAtMs') ?? 0;
    // A record is sent to every reconciler, and again if there was no answer. Another look at the same review makes
    // another record.
    const sending = `${from} ${id} ${atMs}`;
    if (this.#seen.has(sending)) return;
    this.#seen.add(sending);
    const object = `${from} ${sourceOfRecord(record)} ${uid}`;
    const change = `${digest} ${user}`;
    const last = this.#last.get(object);
    this.#last.set(object, { id, change, atMs });
    if (last?.change !== change || Math.abs(atMs - last.atMs) >= togetherMs) return;
    if (!this.#askedBetween(`${from} ${sourceOfRecord(record)}`, last.id, id)) {
      this.#found(`${from} tells twice of one change of ${sourceOfRecord(record)} by ${user}`);
    }
  }

  /**
   * Whether another write was reviewed in between, of which perhaps no record was sent. Then the second record reports
   * a change that was made again.
   */
  #askedBetween(source: string, first: string, second: string): boolean {
    const reviews = this.#asked.get(source) ?? [];
    const firstMs = reviews.find(({ id }) => id === first)?.atMs ?? Infinity;
    const upTo = reviews.findLastIndex(({ id }) => id === second);
    return reviews
      .slice(0, Math.max(0, upTo))
      .some(({ id, atMs }) => id !== first && id !== second && atMs >= firstMs - answeredMs);
  }

  #found(sentence: string): void {
    this.#violations.push({ promise: 'record without change', sentence });
  }
}
