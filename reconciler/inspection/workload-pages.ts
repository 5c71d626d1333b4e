import { gzipSync } from 'node:zlib';
import { toldHoldOf } from '../../shared/domain/gates/told-gates';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import { continueToken, type InspectionQuestion } from '../../shared/domain/protocol/inspection-question';
import type { WorkloadRow } from '../../shared/domain/protocol/workload-page';
import type { WorkloadStatus } from '../../shared/domain/protocol/workload-status';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import type { Timer } from '../../shared/runtime/clock';
import type { AnswerBody } from './answer-body';
import type { InspectionView } from './inspection-view';
import { jsonText } from './json-body';
import { workloadStatus } from './workload-statuses';

type PageQuestion = Extract<InspectionQuestion, { readonly about: 'workloads' }>;

/** A page shows changes within a second, and sorting the keys of a large cluster takes ten milliseconds. */
const keptForMs = 250;

/** A client that asks for ever other pages must not fill the memory. This holds the pages of 20,000 workloads. */
const maxKeptBytes = 4 * 1024 * 1024;

const pointerBytes = 8;

/** What fits into one packet is sent no faster for being smaller. */
const maxPacketBytes = 1_400;

/** Rows are alike, so a window of 4 KB finds as much as one of 32 KB. For that zlib takes 270 KB of memory each time. */
const zipping = { level: 1, windowBits: 12, memLevel: 6 };

/** Who watches asks again within seconds. */
const rowsKeptForMs = 10_000;

/** What a page says. Each row is JSON. */
interface PageContent {
  readonly rows: readonly string[];
  readonly hold: string | undefined;
  /** The workload behind which the next page begins; undefined: this is the last page. */
  readonly last: string | undefined;
}

interface RenderedPage extends PageContent {
  readonly body: AnswerBody;
}

/** What was rendered within that time. */
interface Kept {
  /** Of all workloads, as the index has them, and sorted. */
  readonly unsorted: readonly string[];
  readonly keys: readonly string[];
  readonly pages: Map<string, RenderedPage>;
  bytes: number;
}

/**
 * Pages of the workloads that some source may restart, looked at anew at most four times a second. What says the same as
 * before is neither sorted nor compressed again.
 */
export class WorkloadPages {
  readonly #view: InspectionView;
  #kept: Kept | undefined;
  /** What was kept before that. */
  #former: Kept | undefined;
  /** Rows of workloads that are in step, as text. Nearly all are, and then only the record determines it. */
  #inStepRows = new WeakMap<WorkloadRecord, string>();
  #forgetRows: Timer | undefined;

  constructor(view: InspectionView) {
    this.#view = view;
  }

  /** A page goes through the API server, and a full one has 250 KB: so it is compressed for whoever can read that. */
  render(question: PageQuestion, acceptsGzip: boolean): AnswerBody {
    const kept = this.#current();
    const { namespace = '', limit, after = '' } = question;
    const id = [acceptsGzip ? 'gzip' : 'plain', namespace, limit, after].join(' ');
    const known = kept.pages.get(id);
    if (known !== undefined) return known.body;
    const page = this.#rendered(this.#page(question, kept.keys), this.#former?.pages.get(id), acceptsGzip);
    const bytes = id.length + page.rows.length * pointerBytes + page.body.bytes.length;
    // Both count, and what is asked for now comes before what was.
    if (this.#former && kept.bytes + this.#former.bytes + bytes > maxKeptBytes) this.#former = undefined;
    if (kept.bytes + bytes <= maxKeptBytes) {
      kept.pages.set(id, page);
      kept.bytes += bytes;
    }
    return page.body;
  }

  #rendered(content: PageContent, former: RenderedPage | undefined, acceptsGzip: boolean): RenderedPage {
    if (former && saysTheSame(content, former)) return former;
    return { ...content, body: encoded(pageBody(content), acceptsGzip) };
  }

  #current(): Kept {
    const { clock, workloads } = this.#view;
    if (this.#kept) return this.#kept;
    // Dropped by timers: when nobody asks any more, nothing is kept.
    clock.timer(keptForMs, () => {
      this.#former = this.#kept;
      this.#kept = undefined;
    });
    this.#forgetRows?.cancel();
    this.#forgetRows = clock.timer(rowsKeptForMs, () => {
      this.#former = undefined;
      this.#inStepRows = new WeakMap();
    });
    const former = this.#former;
    const unsorted = Array.from(workloads.tracked(), ({ key }) => key);
    const keys = former && isSame(unsorted, former.unsorted) ? former.keys : unsorted.toSorted();
    this.#kept = { unsorted, keys, pages: new Map(), bytes: 0 };
    return this.#kept;
  }

  #page({ namespace, limit, after }: PageQuestion, keys: readonly string[]): PageContent {
    const { clock, heldInstall } = this.#view;
    const told = toldHoldOf(heldInstall.hold, clock.nowMs());
    const hold = told && jsonText(told);
    const rows: string[] = [];
    let last: string | undefined;
    for (let index = firstAfter(keys, after); index < keys.length; index++) {
      const workload = this.#view.workloads.get(keys[index] ?? '');
      // It may have been deleted since the keys were sorted.
      if (!workload || (namespace !== undefined && workload.record.namespace !== namespace)) continue;
      if (rows.length === limit) return { rows, hold, last };
      rows.push(this.#row(workload));
      last = workload.key;
    }
    return { rows, hold, last: undefined };
  }

  /** The JSON of a row. */
  #row(workload: TrackedWorkload): string {
    const { record } = workload;
    const status = workloadStatus(this.#view, workload);
    if (status.state !== 'in-step') return jsonText(rowOf(record, status));
    const known = this.#inStepRows.get(record);
    if (known !== undefined) return known;
    const text = jsonText(rowOf(record, status));
    this.#inStepRows.set(record, text);
    return text;
  }
}

function rowOf({ kind, namespace, name, lastRestart }: WorkloadRecord, status: WorkloadStatus): WorkloadRow {
  const lastRestartAt = lastRestart && new Date(lastRestart.atMs).toISOString();
  return { kind, namespace, name, ...status, ...(lastRestartAt !== undefined && { lastRestartAt }) };
}

function saysTheSame(page: PageContent, former: PageContent): boolean {
  return page.hold === former.hold && page.last === former.last && isSame(page.rows, former.rows);
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((text, index) => text === right[index]);
}

/** The {@link WorkloadPage} with these rows, and with a token for those behind `last`. */
function pageBody({ rows, hold, last }: PageContent): Buffer {
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
