import * as z from 'zod';
import { budgets, isLongerThan } from '../budgets';
import { RerollError } from '../errors';
import { historyEntrySchema, outcomeFields, shortIdSchema, type HistoryEntry } from './history';
import { timeSchema } from './workload-status';

const outcomeSchema = z.strictObject({ id: shortIdSchema, ...outcomeFields }).readonly();

/** How the restart with this id ended. It is a line of its own, so that no earlier line has to be written again. */
export type OutcomeLine = z.output<typeof outcomeSchema>;

const droppedSchema = z.strictObject({ keptSince: timeSchema }).readonly();

/** Restarts up to this time were dropped to make room. */
export type DroppedLine = z.output<typeof droppedSchema>;

export type HistoryLine = HistoryEntry | OutcomeLine | DroppedLine;

const lineSchema = z.union([historyEntrySchema, outcomeSchema, droppedSchema]);

/** A segment of the history that this version did not write, or that somebody changed. */
export class HistorySegmentError extends RerollError {
  constructor(problem: string) {
    super(problem, { code: 'HISTORY_SEGMENT' });
  }
}

/** One line, in ASCII: V8 then keeps a segment in one byte per character, and its length is its size. */
export function writtenLine(line: HistoryLine): string {
  const ascii = JSON.stringify(line).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${ascii}\n`;
}

/** Lines that this process has checked or written itself. */
function linesOf(segment: string): readonly HistoryLine[] {
  return segment
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as HistoryLine);
}

/**
 * Checks a segment from a ConfigMap, and returns it as this process would have written it. Whoever may write ConfigMaps
 * of Reroll's namespace may have written it. @throws HistorySegmentError
 */
export function checkedSegment(text: string): string {
  if (isLongerThan(text, budgets.historySegmentBytes)) {
    throw new HistorySegmentError(`it has more than ${budgets.historySegmentBytes} bytes`);
  }
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line, index) => writtenLine(checkedLine(line, index + 1))).join('');
}

function checkedLine(line: string, number: number): HistoryLine {
  if (line.length > budgets.historyEntryBytes) throw new HistorySegmentError(`line ${number} is too long`);
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new HistorySegmentError(`line ${number} is not JSON`);
  }
  const parsed = lineSchema.safeParse(value);
  if (!parsed.success) throw new HistorySegmentError(`line ${number} is no line of a history`);
  return parsed.data;
}

/** The restarts of a history. */
export interface History {
  /** Restarts up to this time were dropped; undefined: none was. */
  readonly keptSince: string | undefined;
  readonly entries: readonly HistoryEntry[];
}

/** Each restart of checked segments once, with its last outcome, in the order in which they were added. */
export function historyOf(segments: readonly string[]): History {
  const outcomes = new Map<string, OutcomeLine>();
  const entries = new Map<string, HistoryEntry>();
  let keptSince: string | undefined;
  for (const line of segments.flatMap(linesOf)) {
    if (isDropped(line)) keptSince = later(keptSince, line.keptSince);
    else if (isEntry(line)) {
      // A Job that could not be created again at first is told twice: what follows its refusal counts.
      if (line.outcome === 'failed' && entries.has(line.id)) continue;
      // A crash while room was made leaves a restart in two segments, and one of the two may have its outcome.
      if (line.outcome !== 'rolling') outcomes.set(line.id, outcomeLine(line.id, line));
      else if (outcomes.get(line.id)?.outcome === 'failed') outcomes.delete(line.id);
      entries.set(line.id, line);
    } else outcomes.set(line.id, line);
  }
  return { keptSince, entries: [...entries.values()].map((entry) => ended(entry, outcomes.get(entry.id))) };
}

/** The same, newest first. */
export function newestFirst({ keptSince, entries }: History): History {
  return {
    keptSince,
    entries: entries.toSorted((left, right) => (left.at < right.at ? 1 : left.at > right.at ? -1 : 0)),
  };
}

/** A line without the fields that are undefined, which a strict reader would refuse. */
export function outcomeLine(id: string, { outcome, outcomeAt, reason }: Ending): OutcomeLine {
  return { id, outcome, ...(outcomeAt !== undefined && { outcomeAt }), ...(reason !== undefined && { reason }) };
}

/** How a restart ended. */
export type Ending = Pick<HistoryEntry, 'outcome' | 'outcomeAt' | 'reason'>;

function ended(entry: HistoryEntry, line: OutcomeLine | undefined): HistoryEntry {
  if (!line) return entry;
  const fields = Object.entries(entry).filter(([field]) => !Object.hasOwn(outcomeFields, field));
  return { ...(Object.fromEntries(fields) as HistoryEntry), ...line };
}

export function later(left: string | undefined, right: string | undefined): string | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return left > right ? left : right;
}

function isEntry(line: HistoryLine): line is HistoryEntry {
  return 'causes' in line;
}

function isDropped(line: HistoryLine): line is DroppedLine {
  return 'keptSince' in line;
}
