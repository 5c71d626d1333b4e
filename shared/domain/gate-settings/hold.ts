import { printable } from '../text/printable';

/** As long as it lasts, nothing that it concerns is restarted, and what is owed stays owed. */
export interface Hold {
  /** By the wall clock; undefined: until somebody ends it. */
  readonly untilMs: number | undefined;
  /** Why, in the words of whoever set it: fit to be shown, and short. */
  readonly because: string | undefined;
}

/** `off`: no hold, whatever a namespace or a source says. */
export type HoldSetting = Hold | 'off';

/** A reason, not an essay: it is kept for each held object, and shown in tables. */
const maxBecauseBytes = 200;

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Reads `until=2026-12-01T06:00:00Z, because=release freeze`, or `true` or `false`. Who writes a hold means to stop
 * restarts, so a text that cannot be read holds without an end, and `isClear` is false.
 */
export function readHold(text: string): { readonly hold: HoldSetting; readonly isClear: boolean } {
  const plain = text.trim();
  if (plain === 'false') return { hold: 'off', isClear: true };
  if (plain === 'true' || plain === '') return { hold: { untilMs: undefined, because: undefined }, isClear: true };
  const comma = plain.indexOf(',');
  const until = valueOf(comma < 0 ? plain : plain.slice(0, comma), 'until');
  // It comes last, because it may contain commas.
  const rest = until === undefined ? plain : comma < 0 ? undefined : plain.slice(comma + 1);
  const because = rest === undefined ? undefined : valueOf(rest, 'because');
  if (rest !== undefined && because === undefined) {
    return { hold: { untilMs: undefined, because: shownReason(plain) }, isClear: false };
  }
  const untilMs = until === undefined ? undefined : timeOf(until);
  return {
    hold: { untilMs, because: because === undefined ? undefined : shownReason(because) },
    isClear: until === undefined || untilMs !== undefined,
  };
}

/**
 * The value in `name = value`; undefined: the text does not begin so. Not a regular expression: the text may have 256 KiB,
 * and one with spaces around each part would take minutes for a text of spaces.
 */
function valueOf(text: string, name: string): string | undefined {
  const equals = text.indexOf('=');
  return equals >= 0 && text.slice(0, equals).trim() === name ? text.slice(equals + 1).trim() : undefined;
}

/** Inverse of {@link readHold}, for a hold without an end or with one. */
export function formatHold({ untilMs, because }: Hold): string {
  const named = [
    ...(untilMs === undefined ? [] : [`until=${new Date(untilMs).toISOString().replace('.000Z', 'Z')}`]),
    ...(because === undefined ? [] : [`because=${because}`]),
  ];
  return named.length === 0 ? 'true' : named.join(', ');
}

/** RFC 3339 can write no later time: nobody could read an answer that has one. */
const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Whether it still holds. */
export function isInForce(hold: HoldSetting | undefined, nowMs: number): hold is Hold {
  return hold !== undefined && hold !== 'off' && (hold.untilMs === undefined || nowMs < hold.untilMs);
}

/** A time as in RFC 3339, in milliseconds; undefined for any other text. */
export function timeOf(text: string): number | undefined {
  const ms = time.test(text) && isDay(text.slice(0, '2026-12-01'.length)) ? Date.parse(text) : NaN;
  return ms <= lastMs ? ms : undefined;
}

/** Date takes February 30 for March 2. */
function isDay(day: string): boolean {
  const ms = Date.parse(day);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}

function shownReason(text: string): string | undefined {
  const shown = printable(text, maxBecauseBytes);
  // A copy: V8 would keep the whole annotation for a slice of it.
  return shown === '' ? undefined : Buffer.from(shown).toString();
}
