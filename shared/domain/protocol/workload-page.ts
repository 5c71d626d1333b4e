import * as z from 'zod';
import { installHoldSchema } from './install-hold';
import type { RestartAuthors } from '../workloads/restart-authors';
import type { WorkloadRecord } from '../workloads/workload';
import { timeSchema, workloadStatusFields, type WorkloadStatus } from './workload-status';

const rowSchema = z
  .strictObject({
    kind: z.string(),
    namespace: z.string(),
    name: z.string(),
    ...workloadStatusFields,
    lastRestartAt: timeSchema.optional().describe('From the annotation `reroll.dev/last-restart`.'),
    lastRestartBy: z
      .array(z.string())
      .readonly()
      .optional()
      .describe(
        'Who made the changes that the last restart answers, from the same annotation: at most five users. Missing if the webhook did not see them.',
      ),
    lastRestartMoreUsers: z.int().positive().optional().describe('The number of further users.'),
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

/** Called for each row while somebody asks: ten thousand times for a whole table of a large cluster. */
export function workloadRow(
  { kind, namespace, name, lastRestart }: WorkloadRecord,
  status: WorkloadStatus,
): WorkloadRow {
  const lastRestartAt = lastRestart && new Date(lastRestart.atMs).toISOString();
  return {
    kind,
    namespace,
    name,
    ...status,
    ...(lastRestartAt !== undefined && { lastRestartAt }),
    ...(lastRestart?.authors && authorFields(lastRestart.authors)),
  };
}

function authorFields({ by, moreUsers }: RestartAuthors): Pick<WorkloadRow, 'lastRestartBy' | 'lastRestartMoreUsers'> {
  return { lastRestartBy: by, ...(moreUsers > 0 && { lastRestartMoreUsers: moreUsers }) };
}
