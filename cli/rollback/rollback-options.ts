import { switchRow } from '../../shared/runtime/options/option-schemas';
import { inGroup, type OptionTable, type OptionValues } from '../../shared/runtime/options/option-table';
import { clusterOptionTable, narrowOutputRow } from '../cluster/cluster-options';

const { namespace, ...others } = clusterOptionTable;

export const rollbackOptionTable = {
  ...inGroup('What is put back', {
    namespace: { ...namespace, describe: "Namespace of the source; otherwise the context's." },
    yes: { ...switchRow('yes', 'Do not ask before it is written.'), short: 'y' },
    dryRun: switchRow('dry-run', 'Say what would be written, and have the API server check it, but store nothing.'),
  } satisfies OptionTable),
  ...others,
  output: narrowOutputRow,
} satisfies OptionTable;

export type RollbackOptions = OptionValues<typeof rollbackOptionTable>;
