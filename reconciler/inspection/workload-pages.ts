import { gzipSync } from 'node:zlib';
import { toldHoldOf } from '../../shared/domain/gates/told-gates';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import { continueToken, type InspectionQuestion } from '../../shared/domain/protocol/inspection-question';
import type { ToldHold } from '../../shared/domain/protocol/install-hold';
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

/** What fits into one packet is sent no faster for being smaller. */
const maxPacketBytes = 1_400;

/** Rows are alike, so a window of 4 KB finds as much as one of 32 KB. For that zlib takes 270 KB of memory each time. */
const zipping = { level: 1, windowBits: 12, memLevel: 6 };

/** Who watches asks again within seconds. */
const rowsKeptForMs = 10_000;

/** What was rendered within that time. */
interface Kept {
  /** Of all workloads, sorted. */
  readonly keys: readonly string[];
  readonly pages: Map<string, AnswerBody>;
  bytes: number;
}

/** Pages of the workloads that some source may restart, rendered at most four times a second. */
export class WorkloadPages {
  readonly #view: InspectionView;
  #kept: Kept | undefined;
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
    if (known !== undefined) return known;
    const body = encoded(this.#page(question, kept.keys), acceptsGzip);
    const bytes = id.length + body.bytes.length;
    if (kept.bytes + bytes <= maxKeptBytes) {
      kept.pages.set(id, body);
      kept.bytes += bytes;
    }
    return body;
  }

  #current(): Kept {
    const { clock, workloads } = this.#view;
    if (this.#kept) return this.#kept;
    // Dropped by timers: when nobody asks any more, nothing is kept.
    clock.timer(keptForMs, () => (this.#kept = undefined));
    this.#forgetRows?.cancel();
    this.#forgetRows = clock.timer(rowsKeptForMs, () => (this.#inStepRows = new WeakMap()));
    this.#kept = { keys: Array.from(workloads.tracked(), ({ key }) => key).sort(), pages: new Map(), bytes: 0 };
    return this.#kept;
  }

  #page({ namespace, limit, after }: PageQuestion, keys: readonly string[]): Buffer {
    const { clock, heldInstall } = this.#view;
    const hold = toldHoldOf(heldInstall.hold, clock.nowMs());
    const rows: string[] = [];
    let last: string | undefined;
    for (let index = firstAfter(keys, after); index < keys.length; index++) {
      const workload = this.#view.workloads.get(keys[index] ?? '');
      // It may have been deleted since the keys were sorted.
      if (!workload || (namespace !== undefined && workload.record.namespace !== namespace)) continue;
      if (rows.length === limit) return pageBody(rows, hold, last);
      rows.push(this.#row(workload));
      last = workload.key;
    }
    return pageBody(rows, hold, undefined);
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

/** The {@link WorkloadPage} with these rows, which are JSON, and with a token for those behind `last`. */
function pageBody(rows: readonly string[], hold: ToldHold | undefined, last: string | undefined): Buffer {
  const held = hold ? `"hold":${jsonText(hold)},` : '';
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
