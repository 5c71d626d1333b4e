import { httpUrl, httpUrlAccepts, switchRow } from './option-schemas';
import type { OptionTable } from './option-table';

/** Which health checks of workloads are asked. Without these flags, none is. */
export const healthCheckOptionTable = {
  healthyUrls: switchRow(
    'healthy-urls',
    'Ask the Service in the annotation reroll.dev/healthy-url of a workload that restarts first, in its own namespace: it is healthy only while that answers with 2xx.',
  ),
  prometheusUrl: {
    flag: 'prometheus-url',
    schema: httpUrl.optional(),
    confidential: true,
    describe:
      'Ask this Prometheus the query in the annotation reroll.dev/healthy-query of a workload that restarts first: it is healthy only while there is a result. Whoever may annotate a workload may query it.',
    accepts: httpUrlAccepts,
  },
} satisfies OptionTable;
