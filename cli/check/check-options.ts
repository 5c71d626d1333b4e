import { switchRow } from '../../shared/runtime/options/option-schemas';
import { inGroup, type OptionTable, type OptionValues } from '../../shared/runtime/options/option-table';
import { clusterOptionTable, narrowOutputRow } from '../cluster/cluster-options';

const { namespace, ...others } = clusterOptionTable;

export const checkOptionTable = {
  ...inGroup('What is asked', {
    namespace: {
      ...namespace,
      describe: "Namespace in which the webhook is tried, with a dry run; otherwise the context's.",
    },
    strict: switchRow('strict', 'Exit with 1 for warnings too.'),
  } satisfies OptionTable),
  ...others,
  output: narrowOutputRow,
} satisfies OptionTable;

export type CheckOptions = OptionValues<typeof checkOptionTable>;
