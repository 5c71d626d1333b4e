import { gzipSync } from 'node:zlib';
import { BoundedMap } from '../../shared/domain/bounded-map';
import { reportedHoldOf } from '../../shared/domain/gates/reported-gates';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import { continueToken, type InspectionQuestion } from '../../shared/domain/protocol/inspection-question';
import { workloadRow } from '../../shared/domain/protocol/workload-page';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import type { Timer } from '../../shared/runtime/clock';
import type { AnswerBody } from './answer-body';
import type { InspectionView } from './inspection-view';
import { jsonText } from './json-body';
import { inStep, workloadStatus } from './workload-statuses';

type PageQuestion = Extract<InspectionQuestion, { readonly about: 'workloads' }>;

/** A page shows changes within a second, and a look at a large cluster takes ten milliseconds. */
const lookedAtForMs = 250;

/** Who watches asks again within seconds. */
const keptForMs = 10_000;

/** A client that asks for ever other pages must not fill the memory. This holds the pages of 20,000 workloads. */
const maxKeptBytes = 4 * 1024 * 1024;

const pointerBytes = 8;

/** What fits into one packet is sent no faster for being smaller. */
const maxPacketBytes = 1_400;

/** Rows are alike, so a window of 4 KB finds as much as one of 32 KB. For that zlib takes 270 KB of memory each time. */
const zipping = { level: 1, windowBits: 12, memLevel: 6 };

/** What determines a row: of a workload in step its record, and of any other the JSON of the row. */
type Cell = WorkloadRecord | string;

/** The names of all workloads, as the index has them and sorted. */
interface Keys {
  readonly unsorted: readonly string[];
  readonly sorted: readonly string[];
  /** When they were last compared with the index, by the monotonic clock. */
  readonly lookedMs: number;
}

interface Page {
  readonly cells: readonly Cell[];
  /** That everything is held, as JSON; undefined: it is not. */
  readonly hold: string | undefined;
  /** Whether there are workloads behind it. */
  readonly hasMore: boolean;
  readonly body: AnswerBody;
  /** When it was last compared with the workloads, by the monotonic clock. */
  lookedMs: number;
}

const noKeys: Keys = { unsorted: [], sorted: [], lookedMs: -Infinity };

/**
 * Pages of the workloads that some source may restart, looked at anew at most four times a second. A look that finds what
 * was there before makes nothing: what outlives it would fill the memory until the next full garbage collection.
 */
export class WorkloadPages {
  readonly #view: InspectionView;
  #keys = noKeys;
  /** By what was asked. */
  readonly #pages = new BoundedMap<string, Page>({ maxBytes: maxKeptBytes });
  #forget: Timer | undefined;

  constructor(view: InspectionView) {
    this.#view = view;
  }

  /** A page goes through the API server, and a full one has 250 KB: so it is compressed for whoever can read that. */
  render(question: PageQuestion, acceptsGzip: boolean): AnswerBody {
    const { namespace = '', limit, after = '' } = question;
    const id = [acceptsGzip ? 'gzip' : 'plain', namespace, limit, after].join(' ');
    const known = this.#pages.use(id);
    const page = this.#current(known, question) ?? this.#rendered(question, acceptsGzip);
    if (page !== known) this.#pages.set(id, page, id.length + bytesOf(page));
    this.#forgetOld();
    // When nobody asks any more, nothing is kept.
    this.#forget?.cancel();
    this.#forget = this.#view.clock.timer(keptForMs, () => {
      this.#forgetOld();
      this.#keys = noKeys;
    });
    return page.body;
  }

  /** Undefined: it is not known what the page says now. */
  #current(page: Page | undefined, question: PageQuestion): Page | undefined {
    const nowMs = this.#view.clock.monotonicMs();
    if (!page || nowMs - page.lookedMs < lookedAtForMs) return page;
    if (page.hold !== this.#hold() || !this.#hasSameCells(page, question)) return undefined;
    page.lookedMs = nowMs;
    return page;
  }

  #hasSameCells({ cells, hasMore }: Page, question: PageQuestion): boolean {
    let index = 0;
    for (const workload of this.#workloads(question)) {
      if (index === question.limit) return hasMore;
      if (this.#cell(workload) !== cells[index++]) return false;
    }
    return index === cells.length && !hasMore;
  }

  #rendered(question: PageQuestion, acceptsGzip: boolean): Page {
    const workloads = [...this.#workloads(question)];
    const hasMore = workloads.length > question.limit;
    if (hasMore) workloads.pop();
    const cells = workloads.map((workload) => this.#cell(workload));
    const hold = this.#hold();
    const last = hasMore ? workloads.at(-1)?.key : undefined;
    const body = encoded(pageBody(cells.map(rowText), hold, last), acceptsGzip);
    return { cells, hold, hasMore, body, lookedMs: this.#view.clock.monotonicMs() };
  }

  /** Of what nobody has asked for, though others may ask all the time for other pages. */
  #forgetOld(): void {
    const nowMs = this.#view.clock.monotonicMs();
    for (const [oldest, { lookedMs }] of this.#pages.entries()) {
      if (nowMs - lookedMs < keptForMs) break;
      this.#pages.delete(oldest);
    }
  }

  #hold(): string | undefined {
    const { clock, heldInstall } = this.#view;
    const told = reportedHoldOf(heldInstall.hold, clock.nowMs());
    return told && jsonText(told);
  }

  /** The workloads of a page, and the one behind it. */
  *#workloads({ namespace, limit, after }: PageQuestion): Generator<TrackedWorkload> {
    const keys = this.#sortedKeys();
    let left = limit + 1;
    for (let index = firstAfter(keys, after); index < keys.length && left > 0; index++) {
      const workload = this.#view.workloads.get(keys[index] ?? '');
      // It may have been deleted since the keys were sorted.
      if (!workload || (namespace !== undefined && workload.record.namespace !== namespace)) continue;
      left--;
      yield workload;
    }
  }

  #sortedKeys(): readonly string[] {
    const { clock, workloads } = this.#view;
    const lookedMs = clock.monotonicMs();
    const { unsorted, sorted } = this.#keys;
    if (lookedMs - this.#keys.lookedMs < lookedAtForMs) return sorted;
    if (hasKeys(workloads.tracked(), unsorted)) {
      this.#keys = { unsorted, sorted, lookedMs };
    } else {
      const keys = Array.from(workloads.tracked(), ({ key }) => key);
      this.#keys = { unsorted: keys, sorted: keys.toSorted(), lookedMs };
    }
    return this.#keys.sorted;
  }

  #cell(workload: TrackedWorkload): Cell {
    const { record } = workload;
    const status = workloadStatus(this.#view, workload);
    return status.state === 'in-step' ? record : jsonText(workloadRow(record, status));
  }
}

function hasKeys(workloads: Iterable<TrackedWorkload>, keys: readonly string[]): boolean {
  let index = 0;
  for (const { key } of workloads) {
    if (key !== keys[index++]) return false;
  }
  return index === keys.length;
}

function bytesOf({ cells, body }: Page): number {
  return cells.reduce(
    (sum, cell) => sum + pointerBytes + (typeof cell === 'string' ? cell.length : 0),
    body.bytes.length,
  );
}

function rowText(cell: Cell): string {
  return typeof cell === 'string' ? cell : jsonText(workloadRow(cell, inStep));
}

/** The {@link WorkloadPage} with these rows, and with a token for those behind `last`; undefined: there are none. */
function pageBody(rows: readonly string[], hold: string | undefined, last: string | undefined): Buffer {
  const held = hold === undefined ? '' : `"hold":${hold},`;
  const more = last === undefined ? '' : `,"continue":"${continueToken(last)}"`;
  return Buffer.from(`{"v":1,${held}"workloads":[${rows.join()}]${more}}\n`);
}

function encoded(plain: Buffer, acceptsGzip: boolean): AnswerBody {
  if (!acceptsGzip || plain.length <= maxPacketBytes) return { bytes: plain };
  // Copied: zlib's answer is a part of 16 KB, which would stay in memory with it.
  return { bytes: Buffer.from(gzipSync(plain, zipping)), encoding: 'gzip' };
}

/** The index of the first key behind `after`, which need not be among them any more. */
function firstAfter(keys: readonly string[], after: string | undefined): number {
  if (after === undefined) return 0;
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] ?? '') <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}
