import { maxMinIntervalMs, type GateSettings, type RestartMode } from '../../domain/gate-settings/gate-settings';
import { parseRestartWindows } from '../../domain/gate-settings/restart-windows';
import { durationMs, oneOf, parsedOr } from './option-schemas';
import type { OptionTable, OptionValues } from './option-table';

const restartModes: Readonly<Record<RestartMode, RestartMode>> = { now: 'now', 'next-rollout': 'next-rollout' };

/** When restarts may begin, unless workload, source or namespace say otherwise. */
export const gateOptionTable = {
  restartMode: {
    flag: 'restart',
    schema: oneOf(restartModes, 'no such choice').optional(),
    describe: 'With next-rollout, restart nothing, and leave changes to the next rollout. Default: now.',
    accepts: Object.keys(restartModes).join(', '),
  },
  restartWindows: {
    flag: 'restart-windows',
    schema: parsedOr(parseRestartWindows).optional(),
    describe: 'Begin restarts only in these windows. Default: at any time.',
    accepts: 'windows such as "Mon-Fri 22:00-05:00 Europe/Berlin; Sat,Sun" or "0 22 * * 1-5 +7h"',
  },
  minIntervalMs: {
    flag: 'min-interval',
    schema: durationMs.refine((ms) => ms <= maxMinIntervalMs, 'longer than 720h').optional(),
    describe: 'Leave at least this time between two restarts of one workload. Default: none.',
    accepts: 'a Go duration such as 30m or 24h, at most 720h',
  },
} satisfies OptionTable;

/** Undefined: nothing keeps restarts from beginning. */
export function gatesOf({
  restartMode: mode,
  restartWindows: windows,
  minIntervalMs,
}: OptionValues<typeof gateOptionTable>): GateSettings | undefined {
  if (mode === undefined && windows === undefined && minIntervalMs === undefined) return undefined;
  return {
    ...(mode !== undefined && { mode }),
    ...(windows && { windows }),
    ...(minIntervalMs !== undefined && { minIntervalMs }),
  };
}
