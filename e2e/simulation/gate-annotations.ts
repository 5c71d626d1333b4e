import type { KubeObject } from '../apiserver/objects';
import { paceKeys } from './pace-annotations';

/** The annotations that say when a workload may be restarted. */
export const gateKeys = {
  hold: 'reroll.dev/hold',
  windows: 'reroll.dev/windows',
  interval: 'reroll.dev/min-interval',
  mode: 'reroll.dev/restart',
  urgent: 'reroll.dev/urgent',
} as const;

const all: readonly string[] = [...Object.values(gateKeys), ...Object.values(paceKeys)];

/** The gate annotations of an object: empty if it has none, or does not exist. */
export type GateAnnotations = Readonly<Record<string, string>>;

export function gatesOf(object: KubeObject | undefined): GateAnnotations {
  const { annotations = {} } = object?.metadata ?? {};
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => all.includes(key)));
}

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
/** The simulated worlds are in January. */
const berlinMs = hourMs;

/** Whether a hold, as simulated users write it, holds at this time. This is the judge's own reading. */
export function holds(text: string, atMs: number): boolean {
  if (text === 'false') return false;
  const until = /^until=([-\dT:.]+Z)/.exec(text)?.[1];
  return until === undefined || atMs < Date.parse(until);
}

/** The judge's own reading of a minimum interval, in milliseconds. Undefined for what is no duration. */
export function intervalOf(text: string): number | undefined {
  const [, number, unit] = /^(\d+)(s|m)?$/.exec(text) ?? [];
  if (number === undefined) return undefined;
  return Number(number) * (unit === 'm' ? minuteMs : 1_000);
}

const hoursPart = /^(?:([A-Z][a-z,A-Z]+) )?(\d\d:\d\d)-(\d\d:\d\d)( Europe\/Berlin)?$/;
const cronPart = /^(\S+) (\S+) \* \* \* \+(\d+)s$/;

/** Whether the text names windows that can be read. One that cannot has no effect. */
export function areWindows(text: string): boolean {
  return text === 'always' || text.split('; ').every((part) => hoursPart.test(part) || cronPart.test(part));
}

/** Whether one of the windows is open. The end of a window is no longer part of it. */
export function isOpenAt(text: string, atMs: number): boolean {
  return text === 'always' || text.split('; ').some((part) => isInHours(part, atMs) || isAfterCron(part, atMs));
}

/** Whether the windows are never closed for longer than some minutes. */
export function openAgainAndAgain(text: string): boolean {
  return text === 'always' || text.split('; ').some((part) => cronPart.exec(part)?.[2] === '*');
}

function isInHours(part: string, utcMs: number): boolean {
  const [, names, from, to, zone] = hoursPart.exec(part) ?? [];
  if (from === undefined || to === undefined) return false;
  const atMs = utcMs + (zone === undefined ? 0 : berlinMs);
  const midnightMs = atMs - (atMs % dayMs);
  return [midnightMs, midnightMs - dayMs].some((ofDayMs) => {
    const isThatDay = names === undefined || names.split(',').includes(days[new Date(ofDayMs).getUTCDay()] ?? '');
    const [startMs, endMs] = [ofDayMs + timeMs(from), ofDayMs + timeMs(to)];
    return isThatDay && startMs <= atMs && atMs < (endMs > startMs ? endMs : endMs + dayMs);
  });
}

function timeMs(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return hours * hourMs + minutes * minuteMs;
}

function isAfterCron(part: string, atMs: number): boolean {
  const [, minutes, hours, seconds] = cronPart.exec(part) ?? [];
  if (minutes === undefined || hours === undefined) return false;
  const lastingMs = Number(seconds) * 1_000;
  for (let startMs = atMs - (atMs % minuteMs); startMs > atMs - lastingMs; startMs -= minuteMs) {
    const start = new Date(startMs);
    if (isIn(minutes, start.getUTCMinutes()) && isIn(hours, start.getUTCHours())) return true;
  }
  return false;
}

/** Reads a number, every number, or every few beginning with some, as in cron. */
function isIn(field: string, number: number): boolean {
  const [, from = '0', every = '1'] = /^(?:\*|(\d+)-59)(?:\/(\d+))?$/.exec(field) ?? [];
  if (/^\d+$/.test(field)) return Number(field) === number;
  return number >= Number(from) && (number - Number(from)) % Number(every) === 0;
}
