import { Cron } from 'croner';
import { BoundedMap } from '../bounded-map';
import { budgets } from '../budgets';
import { RerollError } from '../errors';
import { parseDuration } from '../text/duration';

/** A text that is not a list of windows. The message completes the sentence "key value …". */
export class RestartWindowsError extends RerollError {
  constructor(why: string) {
    super(why, { code: 'INVALID_RESTART_WINDOWS' });
  }
}

/** Times in which restarts may begin. */
export interface RestartWindows {
  /** As written, for people. */
  readonly text: string;
  /** `nowMs` while a window is open; otherwise when the next one opens. Both by the wall clock. */
  opensMs(nowMs: number): number;
}

interface Window {
  readonly start: Cron;
  /** When a window that opened at `startMs` closes. */
  readonly endMs: (startMs: number) => number;
  /** No window is longer than this. */
  readonly longestMs: number;
}

const dayMs = 86_400_000;
/** The day on which clocks go back. The largest step that any zone has made in fifty years is a whole day. */
const longestDayMs = 2 * dayMs;
const minutesOfDay = 1_440;
const maxCronWindowMs = 7 * dayMs;
const maxTextLength = 500;
const maxParts = 10;

const timeOfDay = '((?:[01]\\d|2[0-3]):[0-5]\\d)';
const hoursPattern = new RegExp(`^${timeOfDay}-(?:${timeOfDay}|24:00)$`);
const dayNames = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

/** Estimated size of windows without their text, and of an error. */
const windowsBytes = 1_000;
const errorBytes = 4_000;

/** Thousands of workloads may have the same windows, right or wrong, and each is read again at every event. */
const parsed = new BoundedMap<string, RestartWindows | RestartWindowsError>({ maxBytes: budgets.restartWindowsBytes });

/**
 * Reads windows, divided by semicolons: days and hours (`Mon-Fri 22:00-05:00 Europe/Berlin`, `Sat,Sun`, `02:00-04:00`),
 * or a schedule of cron and a duration (`0 22 * * 1-5 +7h`). Days are those on which a window opens. If one zone is
 * named, it counts for all parts; without any, times are UTC.
 * @throws RestartWindowsError
 */
export function parseRestartWindows(text: string): RestartWindows {
  if (text.length > maxTextLength) throw new RestartWindowsError(`has more than ${maxTextLength} characters`);
  const known = parsed.use(text);
  if (known instanceof RestartWindowsError) throw known;
  if (known) return known;
  try {
    readWindows(text);
    const read: RestartWindows = { text: text.trim().replace(/\s+/g, ' '), opensMs: rememberingOpensMs(text) };
    parsed.set(text, read, windowsBytes + 4 * text.length);
    return read;
  } catch (error) {
    // To find out that a date never comes takes ten milliseconds.
    if (error instanceof RestartWindowsError) parsed.set(text, error, errorBytes);
    throw error;
  }
}

/**
 * Schedules take up to a millisecond, and thousands of workloads ask: an answer is kept until the next one closes. So is
 * one more, because each workload asks about now, and then about when other gates open. The schedules are not kept: each
 * takes 80 KiB, and every object of a tenant may have windows of its own.
 */
function rememberingOpensMs(text: string): RestartWindows['opensMs'] {
  let kept: readonly Answer[] = [];
  return (nowMs) => {
    const known = kept.find(({ askedMs, next }) => askedMs <= nowMs && nowMs < next.closesAtMs);
    const answer = known ?? { askedMs: nowMs, next: nextOfAll(readWindows(text), nowMs) };
    if (answer !== kept[0]) kept = [answer, ...kept.filter((each) => each !== answer)].slice(0, 2);
    return Math.max(answer.next.opensAtMs, nowMs);
  };
}

/** It is right from `askedMs` on, until the window closes. */
interface Answer {
  readonly askedMs: number;
  readonly next: OpenWindow;
}

function nextOfAll(windows: readonly Window[], nowMs: number): OpenWindow {
  return windows.map((window) => nextOf(window, nowMs)).reduce(earlier);
}

/** One of the times in which a window is open. */
interface OpenWindow {
  readonly opensAtMs: number;
  readonly closesAtMs: number;
}

function earlier(left: OpenWindow, right: OpenWindow): OpenWindow {
  return right.opensAtMs < left.opensAtMs ? right : left;
}

/** The first that is not over. */
function nextOf({ start, endMs, longestMs }: Window, nowMs: number): OpenWindow {
  let opensAtMs = startAfter(start, nowMs - longestMs);
  while (opensAtMs <= nowMs && endMs(opensAtMs) <= nowMs) opensAtMs = startAfter(start, opensAtMs);
  return { opensAtMs, closesAtMs: opensAtMs === Infinity ? Infinity : endMs(opensAtMs) };
}

/** Infinity if there is no later start. */
function startAfter(start: Cron, ms: number): number {
  return start.nextRun(new Date(ms))?.getTime() ?? Infinity;
}

function readWindows(text: string): readonly Window[] {
  const parts = text.split(';').filter((part) => part.trim() !== '');
  if (parts.length === 0) throw new RestartWindowsError('names no window');
  if (parts.length > maxParts) throw new RestartWindowsError(`has more than ${maxParts} windows`);
  const zoned = parts.map(splitZone);
  const zones = new Set(zoned.flatMap(({ zone }) => zone ?? []));
  if (zones.size > 1 && zoned.some(({ zone }) => zone === undefined)) {
    throw new RestartWindowsError('names several time zones, and not one for each window');
  }
  const [common = 'UTC'] = zones;
  return zoned.map(({ words, zone = common }) => readWindow(words, zone));
}

interface ZonedWords {
  readonly words: readonly string[];
  readonly zone: string | undefined;
}

/** The last word of a part, if it is a zone: `Europe/Berlin`, `UTC`. */
function splitZone(part: string): ZonedWords {
  const words = part.split(/\s+/).filter((word) => word !== '');
  const last = words.at(-1) ?? '';
  const mayBeZone = last === 'UTC' || /^[A-Za-z_]+\/[\w/+-]+$/.test(last);
  return mayBeZone ? { words: words.slice(0, -1), zone: last } : { words, zone: undefined };
}

function readWindow(words: readonly string[], zone: string): Window {
  const [first, second] = words;
  if (words.length === 6 && words[5]?.startsWith('+')) return cronWindow(words.slice(0, 5).join(' '), words[5], zone);
  if (words.length === 1 && first !== undefined) {
    return first.includes(':') ? hoursWindow('*', first, zone) : daysWindow(daysOf(first), zone);
  }
  if (words.length === 2 && first !== undefined && second !== undefined) {
    return hoursWindow(daysOf(first), second, zone);
  }
  throw new RestartWindowsError(`${quoted(words.join(' '))} is neither days and hours nor cron and a duration`);
}

function daysWindow(days: string, zone: string): Window {
  return dailyWindow(cronOf(`0 0 * * ${days}`, zone), cronOf('0 0 * * *', zone), dayMs);
}

function hoursWindow(days: string, hours: string, zone: string): Window {
  const [, from, to = '00:00'] = hoursPattern.exec(hours) ?? [];
  if (from === undefined) throw new RestartWindowsError(`${quoted(hours)} is not a time of day such as 22:00-05:00`);
  if (from === to && to !== '00:00') throw new RestartWindowsError(`${quoted(hours)} begins when it ends`);
  const [start, end] = [cronOf(`${cronTime(from)} * * ${days}`, zone), cronOf(`${cronTime(to)} * * *`, zone)];
  const minutes = minutesOf(to) - minutesOf(from);
  return dailyWindow(start, end, (minutes > 0 ? minutes : minutes + minutesOfDay) * 60_000);
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

/** `22:05` as minute and hour. */
function cronTime(time: string): string {
  return time.split(':').reverse().join(' ');
}

/** From a time of day to the next time that it is the other: on the day that clocks change, an hour more or less. */
function dailyWindow(start: Cron, end: Cron, usualMs: number): Window {
  const endMs = (startMs: number): number => {
    const nextMs = startAfter(end, startMs);
    // If its first hour is the one that clocks skip, it opens late, and the end of that day may be over by then.
    return nextMs - startMs > usualMs + dayMs / 2 ? startMs + usualMs : nextMs;
  };
  return { start, endMs, longestMs: longestDayMs };
}

function cronWindow(schedule: string, lasting: string, zone: string): Window {
  const durationMs = durationOf(lasting.slice(1));
  return { start: cronOf(schedule, zone), endMs: (startMs) => startMs + durationMs, longestMs: durationMs };
}

function durationOf(text: string): number {
  let ms: number;
  try {
    ms = parseDuration(text);
  } catch {
    throw new RestartWindowsError(`${quoted(`+${text}`)} is not a duration such as +7h or +1h30m`);
  }
  if (ms <= 0 || ms > maxCronWindowMs) {
    throw new RestartWindowsError(`${quoted(`+${text}`)} is not between a moment and 168h`);
  }
  return ms;
}

function cronOf(schedule: string, timezone: string): Cron {
  let next: Date | null;
  let cron: Cron;
  try {
    cron = new Cron(schedule, { timezone, paused: true });
    // A zone that does not exist is found out only now.
    next = cron.nextRun(new Date(0));
  } catch {
    throw new RestartWindowsError(
      isZone(timezone) ? `${quoted(schedule)} is not a schedule of cron` : `names no time zone by ${quoted(timezone)}`,
    );
  }
  if (!next) throw new RestartWindowsError(`${quoted(schedule)} never comes`);
  return cron;
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** `Mon-Fri,Sun` as cron has it. */
function daysOf(text: string): string {
  const days = text.split(',').map((range) => {
    const ends = range.split('-').map((name) => dayNames.findIndex((day) => day.toLowerCase() === name.toLowerCase()));
    const [from = -1, to = from] = ends;
    if (ends.length > 2 || from < 0 || to < 0) {
      throw new RestartWindowsError(`${quoted(range)} is no day and no range of days; write Mon, or Mon-Fri`);
    }
    return daysFrom(from, to).join(',');
  });
  return days.join(',');
}

/** Also across the end of a week: `Fri-Mon`. */
function daysFrom(from: number, to: number): readonly number[] {
  const length = ((to - from + 7) % 7) + 1;
  return Array.from({ length }, (_, index) => (from + index) % 7);
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}
