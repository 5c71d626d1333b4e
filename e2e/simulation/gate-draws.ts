import type { Draw } from './draw';

const minuteMs = 60_000;

/** A hold as people write it. One with a time ends within a minute and a half. */
export function drawHold(draw: Draw, nowMs: number): string {
  const until = new Date(nowMs + draw.int(500, draw.pick([8_000, 30_000, 90_000]))).toISOString();
  const whole = until.replace(/\.\d+Z$/, 'Z');
  return draw.pick(['true', 'true', 'because=audit', `until=${until}`, `until=${whole}, because=release, maybe`]);
}

/** Windows around this time: open, about to open, or just closed. */
export function drawWindows(draw: Draw, nowMs: number): string {
  const fromMinutes = draw.int(-2, 2);
  const [from, to] = [fromMinutes, fromMinutes + draw.int(1, 2)].map((minutes) => nowMs + minutes * minuteMs);
  const hours = (aheadMs: number): string => `${timeOf((from ?? 0) + aheadMs)}-${timeOf((to ?? 0) + aheadMs)}`;
  return draw.pick([
    hours(0),
    hours(0),
    `Wed,Thu ${hours(0)}`,
    `Thu ${hours(3_600_000)} Europe/Berlin`,
    `${hours(0)}; ${hours(3 * minuteMs)}`,
    `Wed 22:00-${timeOf(nowMs + minuteMs)}`,
    `0 0 * * * +${String(draw.int(5, 70))}s`,
    drawFrequentWindows(draw),
    drawFrequentWindows(draw),
  ]);
}

/** Windows that open every few minutes. */
export function drawFrequentWindows(draw: Draw): string {
  const seconds = String(draw.int(10, 50));
  const minutes = draw.pick(['*', '*', '*/2', '1-59/2', '*/3']);
  return `${minutes} * * * * +${seconds}s`;
}

export function drawInterval(draw: Draw): string {
  return draw.pick(['5s', '20s', '45s', '90s', '2m']);
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().slice(11, 16);
}
