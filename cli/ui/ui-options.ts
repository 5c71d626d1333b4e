import * as z from 'zod';
import { switchRow } from '../../shared/runtime/options/option-schemas';
import { inGroup, type OptionTable, type OptionValues } from '../../shared/runtime/options/option-table';
import { clusterOptionTable } from '../cluster/cluster-options';

const { namespace, kubeconfig, context, timeoutMs, rerollNamespace, leaseName, inspectionPort } = clusterOptionTable;

export const uiOptionTable = {
  namespace: { ...namespace, describe: 'Namespace that the page shows; otherwise all.' },
  ...inGroup('Page', {
    port: {
      flag: 'port',
      schema: z
        .string()
        .regex(/^\d{1,5}$/, 'not a port')
        .transform(Number)
        .refine((port) => port < 65_536, 'not a port'),
      default: '0',
      describe: 'Port on 127.0.0.1; 0: one that is free.',
      accepts: 'a port',
    },
    noOpen: switchRow('no-open', 'Print the address of the page, and open no browser.'),
  } satisfies OptionTable),
  ...{ kubeconfig, context, timeoutMs, rerollNamespace, leaseName, inspectionPort },
} satisfies OptionTable;

export type UiOptions = OptionValues<typeof uiOptionTable>;
