import * as z from 'zod';
import { installHoldSchema } from './install-hold';
import { timeSchema, workloadStatusFields } from './workload-status';

const rowSchema = z
  .strictObject({
    kind: z.string(),
    namespace: z.string(),
    name: z.string(),
    ...workloadStatusFields,
    lastRestartAt: timeSchema.optional().describe('From the annotation `reroll.dev/last-restart`.'),
  })
  .readonly();
export type WorkloadRow = z.output<typeof rowSchema>;

/** The answer to `GET /v1/workloads`: a page of the workloads that some source may restart. */
export const workloadPageSchema = z
  .strictObject({
    v: z.literal(1),
    hold: installHoldSchema.optional().describe('Everything is held. Missing if it is not.'),
    workloads: z.array(rowSchema).readonly().describe('In the order of kind, namespace and name. Up to a second old.'),
    continue: z.string().optional().describe('Send it as `continue` for the next page. Missing on the last page.'),
  })
  .readonly();
export type WorkloadPage = z.output<typeof workloadPageSchema>;
