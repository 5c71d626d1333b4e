import type { PaceSettings } from '../../domain/gate-settings/pace-settings';
import { parseRestartRate } from '../../domain/gate-settings/restart-rate';
import { parseRollingLimit } from '../../domain/gate-settings/rolling-limit';
import { labelKey, parsedOr } from './option-schemas';
import type { OptionTable, OptionValues } from './option-table';

const limit = parsedOr(parseRollingLimit);
const limitAccepts = 'a number of workloads such as 100, or of pods such as "500 pods"; 0 or off for no limit';

/** How many restarts may roll out at once, and begin in a time. */
export const paceOptionTable = {
  maxRolling: {
    flag: 'max-rolling',
    schema: limit,
    default: '100',
    describe: 'At most this many restarted workloads, or pods of them, roll out at once.',
    accepts: limitAccepts,
  },
  maxRollingPerNamespace: {
    flag: 'max-rolling-per-namespace',
    schema: limit,
    default: '50',
    describe: 'The same for each namespace. The annotation reroll.dev/max-rolling on a namespace replaces it there.',
    accepts: limitAccepts,
  },
  maxRollingPerNodePool: {
    flag: 'max-rolling-per-node-pool',
    schema: limit,
    default: 'off',
    describe:
      'The same for each node pool: each value of the label --node-pool-label in nodeSelector of the pod template.',
    accepts: limitAccepts,
  },
  nodePoolLabel: {
    flag: 'node-pool-label',
    schema: labelKey.optional(),
    describe: 'Label of nodes that names their pool. Default: none.',
    accepts: 'a label such as cloud.google.com/gke-nodepool',
  },
  restartRate: {
    flag: 'restart-rate',
    schema: parsedOr(parseRestartRate),
    default: 'off',
    describe: 'At most this many restarts begin in this time: with 30/m, 30 in any minute.',
    accepts: 'a number of restarts in a time such as 30/m, 5/10s or 600/h; 0 or off for no limit',
  },
} satisfies OptionTable;

type Values = OptionValues<typeof paceOptionTable>;

export function paceOf(values: Values): PaceSettings {
  const { maxRolling, maxRollingPerNamespace: perNamespace, maxRollingPerNodePool: perNodePool } = values;
  return { maxRolling, perNamespace, perNodePool, nodePoolLabel: values.nodePoolLabel, rate: values.restartRate };
}

/** A limit that has no effect, for the log. */
export function paceRemarks({ perNodePool, nodePoolLabel }: PaceSettings): readonly string[] {
  if (perNodePool === 'off' || nodePoolLabel !== undefined) return [];
  return ['--max-rolling-per-node-pool has no effect without --node-pool-label, which names the pools'];
}
