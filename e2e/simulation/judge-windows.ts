import { areWindows, gateKeys, isOpenAt } from './gate-annotations';
import { nearest, type GateLevels } from './gate-levels';

/** Whether the nearest windows are closed at this time, and the change is not urgent. */
export function isOutsideWindows(levels: GateLevels, atMs: number): boolean {
  const windows = nearest(levels, gateKeys.windows, (text) => (areWindows(text) ? text : undefined));
  const text = windows ?? levels.flags.windows;
  return text !== undefined && !isUrgent(levels) && !isOpenAt(text, atMs);
}

/** Only a source can be urgent. */
export function isUrgent({ source }: GateLevels): boolean {
  return source[gateKeys.urgent] === 'true';
}
