import * as z from 'zod';
import { installHoldSchema } from './install-hold';
import { timeSchema } from './workload-status';

const watchSchema = z
  .strictObject({
    name: z.string().describe('The resource, and its namespace if it is watched in single ones.'),
    state: z.enum(['starting', 'listing', 'watching', 'backing-off', 'stopped']),
    listed: z.boolean().describe('A first list is complete.'),
    watching: z.boolean().describe('A watch has begun after that list.'),
    problem: z.string().optional().describe('What ended the last attempt.'),
    refused: z
      .literal(true)
      .optional()
      .describe('A permission or the API is missing, and Reroll goes on without what it would show.'),
  })
  .readonly();

/** The answer to `GET /v1/health`, which every replica gives. */
export const healthInspectionSchema = z
  .strictObject({
    v: z.literal(1),
    state: z
      .enum(['starting', 'syncing', 'standby', 'acting', 'stopped'])
      .describe('`syncing`: the first lists are not complete. `standby`: another replica leads.'),
    version: z.string(),
    identity: z.string().describe('Of this replica: the name of its pod.'),
    leader: z.string().optional().describe('The identity of the replica that leads. Missing if unknown.'),
    problem: z.string().optional().describe('Why it makes no progress.'),
    remark: z.string().optional().describe('What is unusual and no error.'),
    clockAheadMs: z
      .int()
      .optional()
      .describe(
        "How far the clock of its node is ahead of the API server's; negative: behind. Missing until the API server has answered.",
      ),
    watches: z.array(watchSchema).readonly(),
    missingPermissions: z
      .array(z.string())
      .readonly()
      .describe('What was refused since the start for lack of a permission, and what follows from that.'),
    hold: installHoldSchema.optional().describe('Everything is held. Missing if it is not.'),
    queue: z
      .strictObject({
        length: z.int().nonnegative().describe('Workloads that are looked at later, with those that wait for a time.'),
        oldestDueSince: timeSchema
          .optional()
          .describe('Since when the first one could be looked at. Missing if none can.'),
      })
      .readonly(),
    records: z
      .strictObject({
        taken: z
          .int()
          .nonnegative()
          .describe('Those that are well-formed and of this install, whether or not anything uses their source.'),
        refused: z.int().nonnegative(),
        lastTakenAt: timeSchema.optional(),
        lastRefusedAt: timeSchema.optional(),
        lastRefusedBecause: z.enum(['malformed', 'foreign_key', 'stale', 'refused']).optional(),
      })
      .readonly()
      .optional()
      .describe(
        'Change records of the webhook that arrived since the start. Missing before there is a digest key, and with --webhook-url.',
      ),
  })
  .readonly();
export type HealthInspection = z.output<typeof healthInspectionSchema>;
