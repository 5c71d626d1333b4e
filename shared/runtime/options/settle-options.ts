import { maxSettleMs } from '../../domain/workloads/workload-settings';
import { durationMs } from './option-schemas';
import type { OptionTable } from './option-table';

const settleTime = durationMs.refine((ms) => ms <= maxSettleMs, 'longer than 1h');
const defaultSettleMaxMs = 10_000;

/** How long sources must be quiet. */
export const settleOptionTable = {
  settleMs: {
    flag: 'settle',
    schema: settleTime,
    default: '1s',
    describe: 'Restart a workload once its sources have not changed for this long.',
    accepts: 'a Go duration such as 500ms, 2s or 1m30s, at most 1h',
  },
  settleMaxMs: {
    flag: 'settle-max',
    schema: settleTime.optional(),
    describe:
      'Restart this long after the first change even if others follow. Default: 10s, or --settle if that is longer.',
    accepts: 'a Go duration not below --settle, at most 1h',
  },
} satisfies OptionTable;

/** The longest wait: an unset one is never below `--settle`. */
export function settleMaxOf(settleMs: number, settleMaxMs: number | undefined): number {
  return settleMaxMs ?? Math.max(defaultSettleMaxMs, settleMs);
}
