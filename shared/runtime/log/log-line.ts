import { cutToBytes } from '../../domain/text/cut-to-bytes';
import { printable } from '../../domain/text/printable';
import type { LogFields } from './logger';

/** One log line before formatting. */
export interface LogEntry {
  readonly timeMs: number;
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
}

type PlainValue = string | number | boolean | readonly string[];

/**
 * Limit for one text: a client that sends megabytes must not fill the disk of the node, which all of its pods share.
 */
const maxTextBytes = 8_192;

const ownNames = ['time', 'level', 'message'];

/** `{"time":"2026-01-01T00:00:00.000Z","level":"info","message":"…",…fields}`. Never throws. */
export function jsonLine({ timeMs, level, message, fields }: LogEntry): string {
  const line = { time: rfc3339(timeMs), level, message: bounded(message), ...Object.fromEntries(plainValues(fields)) };
  // JSON does not escape DEL and the C1 controls, one of which begins an escape sequence.
  return printable(JSON.stringify(line));
}

/** `2026-01-01T00:00:00.000Z INFO  message key=value key="with space"`. Always one line; never throws. */
export function consoleLine({ timeMs, level, message, fields }: LogEntry): string {
  const pairs = plainValues(fields).map(([name, value]) => `${quoted(name)}=${consoleValue(value)}`);
  return [rfc3339(timeMs), level.toUpperCase().padEnd(5), printable(bounded(message)), ...pairs].join(' ');
}

function rfc3339(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

/** The types keep fields flat, but caught errors and external data may be anything. */
function plainValues(fields: LogFields): readonly (readonly [string, PlainValue])[] {
  return Object.keys(fields).flatMap((name) => {
    const value = plainValue(() => fields[name]);
    // As in logrus: a field never replaces the line's own time, level or message.
    return value === undefined ? [] : [[ownNames.includes(name) ? `fields.${name}` : name, value] as const];
  });
}

function plainValue(read: () => unknown): PlainValue | undefined {
  try {
    const value = read();
    if (Array.isArray(value)) return value.map((element: unknown) => String(plainValue(() => element)));
    switch (typeof value) {
      case 'undefined':
      case 'boolean':
        return value;
      case 'number':
        return Number.isFinite(value) ? value : String(value);
      case 'object':
        return bounded(value instanceof Error ? value.message : JSON.stringify(value));
      default:
        return bounded(String(value));
    }
  } catch {
    return '[unprintable]';
  }
}

function consoleValue(value: PlainValue): string {
  if (typeof value === 'string') return quoted(value);
  return typeof value === 'object' ? `[${value.map(quoted).join(',')}]` : String(value);
}

function quoted(text: string): string {
  return /^[\w.:/@%+*-]+$/.test(text) ? text : printable(JSON.stringify(text));
}

function bounded(text: string): string {
  return cutToBytes(text, maxTextBytes);
}
