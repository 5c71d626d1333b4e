import { durationMs, switchRow } from '../../shared/runtime/options/option-schemas';
import { inGroup, type OptionTable, type OptionValues } from '../../shared/runtime/options/option-table';
import { clusterOptionTable } from '../cluster/cluster-options';

const { namespace, ...others } = clusterOptionTable;

export const historyOptionTable = {
  namespace,
  ...inGroup('What is asked', {
    allNamespaces: { ...switchRow('all-namespaces', 'Answer for all namespaces.'), short: 'A' },
    sinceMs: {
      flag: 'since',
      schema: durationMs.refine((ms) => ms > 0, 'no time at all'),
      default: '24h',
      describe: 'Show restarts of this last time.',
      accepts: 'a Go duration such as 30m, 24h or 168h',
    },
  } satisfies OptionTable),
  ...others,
} satisfies OptionTable;

export type HistoryOptions = OptionValues<typeof historyOptionTable>;
