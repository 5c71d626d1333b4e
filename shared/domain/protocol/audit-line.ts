import * as z from 'zod';
import { shortIdSchema } from './history';
import { timeSchema } from './workload-status';

/** What was decided about a workload. */
const auditDecisions = ['restarted', 'withheld', 'refused', 'rolled-back'] as const;
export type AuditDecision = (typeof auditDecisions)[number];

const texts = z.array(z.string()).readonly();

/** Fields of an audit line besides those of every line of the log. */
const auditFields = {
  audit: z.literal(true),
  decision: z
    .enum(auditDecisions)
    .describe(
      '`restarted`: the restart is written, or the write of somebody else brought it. `withheld`: a dry run wrote nothing. ' +
        '`refused`: the API server or a limit refuses it, and it is tried again; said once until it changes. ' +
        '`rolled-back`: the source has a former content again, because the workload was not healthy with its change.',
    ),
  workload: z.string().describe('Kind, namespace and name: `Deployment shop/web`.'),
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
  restartId: z
    .string()
    .optional()
    .describe('As in `reroll.dev/last-restart`, the Event and the history. Missing if nothing was to be written.'),
  strategy: z.string().optional().describe('Missing if only the workload tells of the restart, as for a Job.'),
  sources: texts.describe('The sources that changed: `cm/app`, `secret/db`.'),
  changes: z.array(shortIdSchema).readonly().describe('The ids of these changes, as in the log of the webhook.'),
  because: texts.describe('The reasons, one for each source, with keys and authors. Never a value.'),
  users: texts.optional().describe('Who made the changes. Missing without the webhook.'),
  managers: texts.optional().describe('The field managers of their writes.'),
  moreUsers: z.int().positive().optional(),
  paths: texts.optional().describe('How the changes were noticed: `webhook`, `watch`, `both`.'),
  keys: texts.optional().describe('Of a rollback: the keys that differ between the two contents.'),
  dryRun: z.literal(true).optional(),
  errorCode: z.string().optional().describe('Of a refusal. Stays the same if the message is reworded.'),
  error: z.string().optional(),
} as const;

/** A line of the reconciler's log, with `--log-format=json`, for each decision about a restart or a rollback. */
export const auditLineSchema = z
  .strictObject({
    time: timeSchema,
    level: z.enum(['info', 'warn']),
    message: z.string(),
    ...auditFields,
  })
  .readonly();
export type AuditLine = z.output<typeof auditLineSchema>;
