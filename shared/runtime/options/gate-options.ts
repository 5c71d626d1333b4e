import { maxMinIntervalMs, type GateSettings } from '../../domain/gate-settings/gate-settings';
import { parseRestartWindows } from '../../domain/gate-settings/restart-windows';
import { durationMs, parsedOr } from './option-schemas';
import type { OptionTable, OptionValues } from './option-table';

/** When restarts may begin, unless workload, source or namespace say otherwise. */
export const gateOptionTable = {
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
  restartWindows: windows,
  minIntervalMs,
}: OptionValues<typeof gateOptionTable>): GateSettings | undefined {
  if (windows === undefined && minIntervalMs === undefined) return undefined;
  return { ...(windows && { windows }), ...(minIntervalMs !== undefined && { minIntervalMs }) };
}
