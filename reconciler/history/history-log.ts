import { budgets } from '../../shared/domain/budgets';
import type { HistoryEntry } from '../../shared/domain/protocol/history';
import {
  ended,
  historyOf,
  isDropped,
  isEntry,
  later,
  linesOf,
  newestFirst,
  outcomeLine,
  writtenLine,
  type History,
  type HistoryLine,
  type OutcomeLine,
} from '../../shared/domain/protocol/history-line';

/** What is left when room is made: so much of the whole that it does not happen again soon. */
const keptShare = 3 / 4;

/**
 * The history in memory: segments of lines, as they are in the ConfigMaps. Lines are added to the last segment, and
 * parsed only when somebody asks.
 *
 * When all segments are full, the namespace that takes most of the room loses its oldest restarts, until a quarter of
 * the room is free. So whoever causes thousands of restarts pushes out only their own.
 */
export class HistoryLog {
  #segments: string[];
  /** Segments whose ConfigMap has another text. */
  readonly #unwritten: Set<number>;

  /** `segments` are checked: see {@link checkedSegment}. The ConfigMaps of those in `unwritten` have another text. */
  constructor(segments: readonly string[] = [], unwritten: Iterable<number> = []) {
    this.#segments = [...segments];
    this.#unwritten = new Set(unwritten);
  }

  /** The segments to be written, in the order in which a crash between two writes loses nothing. */
  get unwritten(): readonly number[] {
    return [...this.#unwritten].sort((left, right) => left - right);
  }

  /** The memory that it takes. */
  get bytes(): number {
    return this.#segments.reduce((sum, { length }) => sum + length, 0);
  }

  segment(index: number): string {
    return this.#segments[index] ?? '';
  }

  written(index: number, text: string): void {
    if (this.segment(index) === text) this.#unwritten.delete(index);
  }

  add(line: HistoryLine): void {
    const text = writtenLine(line);
    // So room can always be made. Whoever adds a restart has shortened it.
    if (text.length > budgets.historyEntryBytes) return;
    const last = this.#segments.length - 1;
    if (this.#fits(last, text)) this.#append(last, text);
    else if (last + 1 < budgets.historySegments) this.#append(last + 1, text);
    else {
      this.#makeRoom();
      this.add(line);
    }
  }

  /** Adds what another log knows and this one does not. */
  addAllOf(other: HistoryLog): void {
    const own = historyOf(this.#segments);
    const { keptSince, entries } = other.read();
    if (keptSince !== undefined && later(own.keptSince, keptSince) !== own.keptSince) this.add({ keptSince });
    const known = new Map(own.entries.map((entry) => [entry.id, entry]));
    for (const entry of entries.toReversed()) {
      const { id, outcome } = entry;
      const same = known.get(id);
      if (!same) this.add(entry);
      else if (same.outcome !== outcome && outcome !== 'rolling') this.add(outcomeLine(id, entry));
    }
  }

  /** Parses it, newest first. */
  read(): History {
    return newestFirst(historyOf(this.#segments));
  }

  /** The restart with this id, without parsing the others. */
  find(id: string): HistoryEntry | undefined {
    const lines = this.#segments.flatMap((segment) => linesWith(segment, `"id":"${id}"`)).flatMap(linesOf);
    const entry = lines.find(isEntry);
    const last = lines.findLast((line): line is OutcomeLine => !isEntry(line) && !isDropped(line));
    return entry && ended(entry, last);
  }

  #fits(index: number, text: string): boolean {
    const segment = this.#segments[index];
    return segment !== undefined && segment.length + text.length <= budgets.historySegmentBytes;
  }

  #append(index: number, text: string): void {
    this.#segments[index] = this.segment(index) + text;
    this.#unwritten.add(index);
  }

  #makeRoom(): void {
    const { keptSince, entries } = historyOf(this.#segments);
    const { kept, droppedAt } = fairlyKept(entries, budgets.historySegments * budgets.historySegmentBytes * keptShare);
    const since = later(keptSince, droppedAt);
    const before = this.#segments;
    const unwritten = new Set(this.#unwritten);
    this.#segments = [];
    for (const line of [...(since === undefined ? [] : [{ keptSince: since }]), ...kept]) this.add(line);
    this.#unwritten.clear();
    for (let index = 0; index < before.length; index++) {
      if (unwritten.has(index) || before[index] !== this.segment(index)) this.#unwritten.add(index);
    }
  }
}

/** The entries without the oldest of the largest namespaces, in at most `maxBytes`. */
function fairlyKept(
  entries: readonly HistoryEntry[],
  maxBytes: number,
): { readonly kept: readonly HistoryEntry[]; readonly droppedAt: string | undefined } {
  const shares = new Map<
    string,
    { bytes: number; readonly sizes: { readonly entry: HistoryEntry; readonly bytes: number }[]; dropped: number }
  >();
  let bytes = 0;
  for (const entry of entries) {
    const share = shares.get(entry.namespace) ?? { bytes: 0, sizes: [], dropped: 0 };
    const size = writtenLine(entry).length;
    share.sizes.push({ entry, bytes: size });
    share.bytes += size;
    bytes += size;
    shares.set(entry.namespace, share);
  }
  const dropped = new Set<HistoryEntry>();
  let droppedAt: string | undefined;
  while (bytes > maxBytes) {
    const largest = [...shares.values()].reduce((most, share) => (share.bytes > most.bytes ? share : most));
    const oldest = largest.sizes[largest.dropped++];
    if (!oldest) break;
    largest.bytes -= oldest.bytes;
    bytes -= oldest.bytes;
    dropped.add(oldest.entry);
    droppedAt = later(droppedAt, oldest.entry.at);
  }
  return { kept: entries.filter((entry) => !dropped.has(entry)), droppedAt };
}

function linesWith(segment: string, text: string): readonly string[] {
  const found: string[] = [];
  for (let at = segment.indexOf(text); at >= 0; at = segment.indexOf(text, at + 1)) {
    found.push(segment.slice(segment.lastIndexOf('\n', at) + 1, segment.indexOf('\n', at)));
  }
  return found;
}
