import { budgets } from '../../shared/domain/budgets';
import type { HistoryEntry } from '../../shared/domain/protocol/history';
import {
  historyOf,
  later,
  newestFirst,
  outcomeLine,
  writtenLine,
  type History,
  type HistoryLine,
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
    this.#add(writtenLine(line));
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
      const wasRefused = same?.outcome === 'failed' && outcome === 'rolling';
      if (!same || wasRefused) this.add(entry);
      else if (same.outcome !== outcome && outcome !== 'rolling' && outcome !== 'failed')
        this.add(outcomeLine(id, entry));
    }
  }

  /** Parses it, newest first. */
  read(): History {
    return newestFirst(historyOf(this.#segments));
  }

  /** The restart with this id, without parsing the others. */
  find(id: string): HistoryEntry | undefined {
    const lines = this.#segments.flatMap((segment) => linesWith(segment, `"id":"${id}"`));
    return historyOf(lines).entries[0];
  }

  #add(text: string): void {
    // So room can always be made. Whoever adds a restart has shortened it.
    if (text.length > budgets.historyEntryBytes) return;
    const last = this.#segments.length - 1;
    if (this.#fits(last, text)) this.#append(last, text);
    else if (last + 1 < budgets.historySegments) this.#append(last + 1, text);
    else {
      this.#makeRoom();
      this.#add(text);
    }
  }

  #fits(index: number, text: string): boolean {
    const segment = this.#segments[index];
    return segment !== undefined && segment.length + text.length <= budgets.historySegmentBytes;
  }

  #append(index: number, text: string): void {
    this.#segments[index] = this.segment(index) + text;
    this.#unwritten.add(index);
  }

  /** Moves lines as they are: to parse and write all of them would hold up everything else for 200 ms. */
  #makeRoom(): void {
    const { kept, droppedAt } = fairlyKept(
      this.#segments,
      budgets.historySegments * budgets.historySegmentBytes * keptShare,
    );
    const before = this.#segments;
    const unwritten = new Set(this.#unwritten);
    this.#segments = [];
    if (droppedAt !== undefined) this.add({ keptSince: droppedAt });
    for (const text of kept) this.#add(text);
    this.#unwritten.clear();
    for (let index = 0; index < before.length; index++) {
      if (unwritten.has(index) || before[index] !== this.segment(index)) this.#unwritten.add(index);
    }
  }
}

/** The lines about one restart. */
interface Restart {
  /** When it was made. */
  readonly at: string;
  readonly namespace: string;
  entry: string;
  /** How it ended, if that is a line of its own. */
  outcome: string;
}

const [idField, namespaceField, atField] = [/"id":"([^"]+)"/, /"namespace":"([^"]*)"/, /"at":"([^"]+)"/];
const keptSinceField = /^\{"keptSince":"([^"]+)"/;

/** By their ids, in the order in which they were added, and until when others were dropped. */
function restartsIn(segments: readonly string[]): {
  readonly restarts: ReadonlyMap<string, Restart>;
  readonly keptSince: string | undefined;
} {
  const restarts = new Map<string, Restart>();
  let keptSince: string | undefined;
  for (const text of segments.flatMap((segment) => segment.match(/.+\n/g) ?? [])) {
    const since = keptSinceField.exec(text)?.[1];
    if (since !== undefined) {
      keptSince = later(keptSince, since);
      continue;
    }
    const id = idField.exec(text)?.[1] ?? '';
    const known = restarts.get(id);
    // A quote within a text is escaped, so no text looks like a field.
    const at = atField.exec(text)?.[1];
    if (at === undefined) {
      if (known) known.outcome = text;
    } else if (!known) {
      restarts.set(id, { at, namespace: namespaceField.exec(text)?.[1] ?? '', entry: text, outcome: '' });
    } else {
      // A crash while room was made leaves a restart in two segments, and one of the two may have its outcome.
      known.entry = text;
      if (!text.includes('"outcome":"rolling"')) known.outcome = '';
    }
  }
  return { restarts, keptSince };
}

/** The lines of all restarts but the oldest of the largest namespaces, in at most `maxBytes`. */
function fairlyKept(
  segments: readonly string[],
  maxBytes: number,
): { readonly kept: readonly string[]; readonly droppedAt: string | undefined } {
  const { restarts, keptSince } = restartsIn(segments);
  const shares = new Map<string, { bytes: number; readonly restarts: Restart[]; dropped: number }>();
  let bytes = 0;
  for (const restart of restarts.values()) {
    const share = shares.get(restart.namespace) ?? { bytes: 0, restarts: [], dropped: 0 };
    share.restarts.push(restart);
    share.bytes += bytesOf(restart);
    bytes += bytesOf(restart);
    shares.set(restart.namespace, share);
  }
  const dropped = new Set<Restart>();
  let droppedAt = keptSince;
  while (bytes > maxBytes) {
    const largest = [...shares.values()].reduce((most, share) => (share.bytes > most.bytes ? share : most));
    const oldest = largest.restarts[largest.dropped++];
    if (!oldest) break;
    largest.bytes -= bytesOf(oldest);
    bytes -= bytesOf(oldest);
    dropped.add(oldest);
    droppedAt = later(droppedAt, oldest.at);
  }
  const kept = [...restarts.values()].filter((restart) => !dropped.has(restart));
  return { kept: kept.flatMap(({ entry, outcome }) => (outcome === '' ? [entry] : [entry, outcome])), droppedAt };
}

function bytesOf({ entry, outcome }: Restart): number {
  return entry.length + outcome.length;
}

function linesWith(segment: string, text: string): readonly string[] {
  const found: string[] = [];
  for (let at = segment.indexOf(text); at >= 0; at = segment.indexOf(text, at + 1)) {
    found.push(segment.slice(segment.lastIndexOf('\n', at) + 1, segment.indexOf('\n', at)));
  }
  return found;
}
