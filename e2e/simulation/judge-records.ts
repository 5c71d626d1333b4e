import { numberAt, stringAt, type JsonObject } from '../apiserver/json';
import { sourceOfRecord } from './channel';
import type { Violation } from './judge';

/** What `/mutate` and `/validate` see of one write lies closer together; clocks may be set meanwhile. */
const togetherMs = 3_000;

/** Judges what webhooks tell: each change once, however often they were asked about it, and nothing that is only tried. */
export class RecordJudge {
  readonly #tried = new Set<string>();
  readonly #seen = new Set<string>();
  /** By process and object: what was told last, for the first time. */
  readonly #last = new Map<string, { readonly change: string; readonly atMs: number }>();
  readonly #violations: Violation[] = [];

  get violations(): readonly Violation[] {
    return this.#violations;
  }

  /** A dry run was admitted under this id. */
  tried(id: string): void {
    this.#tried.add(id);
  }

  sent(from: string, record: JsonObject): void {
    const [id = '', uid = '', digest = '', user = ''] = ['id', 'uid', 'digest', 'user'].map((field) =>
      stringAt(record, field),
    );
    if (this.#tried.has(id)) this.#found(`${from} tells of what ${user} only tried with ${sourceOfRecord(record)}`);
    // Sent to every reconciler, and again where there was no answer.
    if (this.#seen.has(`${from} ${id}`)) return;
    this.#seen.add(`${from} ${id}`);
    const object = `${from} ${sourceOfRecord(record)} ${uid}`;
    const change = `${digest} ${user}`;
    const atMs = numberAt(record, 'observedAtMs') ?? 0;
    const last = this.#last.get(object);
    this.#last.set(object, { change, atMs });
    if (last?.change === change && Math.abs(atMs - last.atMs) < togetherMs) {
      this.#found(`${from} tells twice of one change of ${sourceOfRecord(record)} by ${user}`);
    }
  }

  #found(sentence: string): void {
    this.#violations.push({ promise: 'record without change', sentence });
  }
}
