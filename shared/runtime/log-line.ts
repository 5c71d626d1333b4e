import type { LogFields } from './logger';

/** One line before it has a form. */
export interface LogEntry {
  readonly timeMs: number;
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
}

type Printable = string | number | boolean | readonly string[];

const ownNames = ['time', 'level', 'message'];

/** `{"time":"2026-01-01T00:00:00.000Z","level":"info","message":"…",…fields}`. Never throws. */
export function jsonLine({ timeMs, level, message, fields }: LogEntry): string {
  const line = { time: rfc3339(timeMs), level, message, ...Object.fromEntries(printable(fields)) };
  // JSON leaves DEL and the C1 controls as they are, among them one that begins an escape sequence.
  return escapeControls(JSON.stringify(line));
}

/** `2026-01-01T00:00:00.000Z INFO  message key=value key="with space"`. One line whatever it is given; never throws. */
export function consoleLine({ timeMs, level, message, fields }: LogEntry): string {
  const pairs = printable(fields).map(([name, value]) => `${plain(name)}=${consoleValue(value)}`);
  return [rfc3339(timeMs), level.toUpperCase().padEnd(5), escapeControls(message), ...pairs].join(' ');
}

function rfc3339(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

/** The types keep fields flat, but what was caught or read from outside may be anything. */
function printable(fields: LogFields): readonly (readonly [string, Printable])[] {
  return Object.keys(fields).flatMap((name) => {
    const value = printableValue(() => fields[name]);
    // As logrus does: a field never hides the line's own time, level or message.
    return value === undefined ? [] : [[ownNames.includes(name) ? `fields.${name}` : name, value] as const];
  });
}

function printableValue(read: () => unknown): Printable | undefined {
  try {
    const value = read();
    if (Array.isArray(value)) return value.map((element: unknown) => String(printableValue(() => element)));
    switch (typeof value) {
      case 'undefined':
      case 'string':
      case 'boolean':
        return value;
      case 'number':
        return Number.isFinite(value) ? value : String(value);
      case 'object':
        return value instanceof Error ? value.message : JSON.stringify(value);
      default:
        return String(value);
    }
  } catch {
    return '[unprintable]';
  }
}

function consoleValue(value: Printable): string {
  if (typeof value === 'string') return plain(value);
  return typeof value === 'object' ? `[${value.map(plain).join(',')}]` : String(value);
}

function plain(text: string): string {
  return /^[\w.:/@%+*-]+$/.test(text) ? text : escapeControls(JSON.stringify(text));
}

/** Line breaks would forge lines, and escape sequences would drive the reader's terminal. */
function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, (control) => shortEscapes[control] ?? unicodeEscape(control));
}

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function unicodeEscape(control: string): string {
  return `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
