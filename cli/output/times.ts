import { withoutMs } from '../../shared/domain/text/without-ms';
import { counted } from './text-style';

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** @example ago(720_000) === '12 minutes ago' */
export function ago(ms: number): string {
  return ms < 1_000 ? 'just now' : `${inWords(ms)} ago`;
}

/** @example within(50_000) === 'in 50 seconds' */
export function within(ms: number): string {
  return ms < 1_000 ? 'at once' : `in ${inWords(ms)}`;
}

/** @example timeAndWait('2026-12-01T06:00:00.000Z', nowMs) === '2026-12-01T06:00:00Z (in 5 days)' */
export function timeAndWait(time: string, nowMs: number): string {
  return `${withoutMs(time)} (${within(Date.parse(time) - nowMs)})`;
}

/** In the largest unit that fits, as a person says it. */
function inWords(ms: number): string {
  const [unit, unitMs] = units.find((each) => ms >= each[1]) ?? ['second', 1_000];
  return counted(Math.floor(ms / unitMs), unit);
}

/** For tables: at most two units, as kubectl writes ages. @example shortAge(5_400_000) === '1h30m' */
export function shortAge(ms: number): string {
  const first = units.findIndex((each) => ms >= each[1]);
  if (first < 0) return '0s';
  const shown = units.slice(first, first + 2);
  let leftMs = ms;
  const parts = shown.map(([unit, unitMs]) => {
    const count = Math.floor(leftMs / unitMs);
    leftMs -= count * unitMs;
    return count === 0 ? '' : `${count}${unit.charAt(0)}`;
  });
  return parts.join('');
}
