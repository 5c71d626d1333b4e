import { switchRow } from '../../shared/runtime/options/option-schemas';
import { inGroup, type OptionTable, type OptionValues } from '../../shared/runtime/options/option-table';
import { clusterOptionTable, watchRow } from '../cluster/cluster-options';

const { namespace, output, ...others } = clusterOptionTable;

export const statusOptionTable = {
  namespace,
  ...inGroup('What is asked', {
    allNamespaces: { ...switchRow('all-namespaces', 'Answer for all namespaces.'), short: 'A' },
  } satisfies OptionTable),
  output,
  ...inGroup('Output', { watch: watchRow } satisfies OptionTable),
  ...others,
} satisfies OptionTable;

export type StatusOptions = OptionValues<typeof statusOptionTable>;
