import type { GateSettings } from '../gate-settings/gate-settings';
import type { GateLevel } from './gate';

/** A setting that is in force, and the level that sets it. */
export interface NearestSetting<Value> {
  readonly value: Value;
  readonly bearer: string | undefined;
}

/** The setting of the nearest level that has one. */
export function nearestSetting<Name extends keyof GateSettings>(
  levels: readonly GateLevel[],
  name: Name,
): NearestSetting<NonNullable<GateSettings[Name]>> | undefined {
  for (const { bearer, settings } of levels) {
    const value = settings?.[name];
    if (value !== undefined) return { value, bearer };
  }
  return undefined;
}

/** @example 'reroll.dev/windows on namespace shop', '--restart-windows' */
export function setBy(bearer: string | undefined, annotation: string, flag: string): string {
  return bearer === undefined ? flag : `${annotation} on ${bearer}`;
}
