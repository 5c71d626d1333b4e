import { numberAt, stringAt, type JsonObject } from '../apiserver/json';
import { sourceOfRecord } from './channel';
import type { Violation } from './judge';

/** What `/mutate` and `/validate` see of one write lies closer together; clocks may be set meanwhile. */
const togetherMs = 3_000;

/** For so long a review may be answered, and told of after one that came later: those that a frozen process held come at once. */
const answeredMs = 600;

interface Asked {
  readonly id: string;
  readonly atMs: number;
}

/** Judges what webhooks tell: each change once, however often they were asked about it, and nothing that is only tried. */
export class RecordJudge {
  readonly #tried = new Set<string>();
  readonly #seen = new Set<string>();
  /** By process and object: what was told last, for the first time. */
  readonly #last = new Map<string, { readonly id: string; readonly change: string; readonly atMs: number }>();
  /** By process and source: the reviews that came, in their order. */
  readonly #asked = new Map<string, Asked[]>();
  readonly #violations: Violation[] = [];

  get violations(): readonly Violation[] {
    return this.#violations;
  }

  /** A dry run was admitted under this id. */
  tried(id: string): void {
    this.#tried.add(id);
  }

  /** A review of a write to the source has come to this process. */
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
    // Sent to every reconciler, and again where there was no answer; another look at the same review is another record.
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

  /** Another write came in between, of which no record may have been sent: then it is a change made again. */
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
