import { nonEmpty } from '../../shared/runtime/options/option-schemas';
import { inGroup, type OptionTable, type OptionValues } from '../../shared/runtime/options/option-table';
import { clusterOptionTable } from '../cluster/cluster-options';

const { namespace, ...others } = clusterOptionTable;

export const whyOptionTable = {
  namespace,
  ...inGroup('What is asked', {
    about: {
      flag: 'for',
      schema: nonEmpty.optional(),
      describe: 'Answer for this source; otherwise for what happened last.',
      accepts: 'a source such as configmap/app',
    },
  } satisfies OptionTable),
  ...others,
} satisfies OptionTable;

export type WhyOptions = OptionValues<typeof whyOptionTable>;
