import * as z from 'zod';
import { sourceKinds } from '../sources/source';
import { timeSchema } from './workload-status';

/** The ConfigMaps of Reroll's namespace that hold the history: `reroll-history-0` and so on. */
const historyPrefix = 'reroll-history-';

/** Whether a ConfigMap of Reroll's namespace holds a part of the history. */
export function isHistoryName(name: string): boolean {
  return name.startsWith(historyPrefix) && /^\d+$/.test(name.slice(historyPrefix.length));
}

/** Its name. */
export function historyName(index: number): string {
  return `${historyPrefix}${index}`;
}

/** The key of such a ConfigMap that holds its lines. */
export const historyDataKey = 'restarts';

/** How a restart ended. */
export const restartOutcomes = [
  'rolling',
  'healthy',
  'unhealthy',
  'superseded',
  'unknown',
  'dry-run',
  'failed',
] as const;
export type RestartOutcome = (typeof restartOutcomes)[number];

/** The most names of keys of one cause. */
export const maxHistoryKeys = 20;

/** An id of a restart or of a change. */
export const shortIdSchema = z.string().regex(/^[0-9a-f]{8}$/);

const causeSchema = z
  .strictObject({
    kind: z.enum(sourceKinds),
    name: z.string(),
    namespace: z.string().optional().describe('Missing if it is that of the workload.'),
    change: shortIdSchema
      .optional()
      .describe('The id of the change, as in the logs of webhook and reconciler and in the Event. Missing if unknown.'),
    why: z.string().describe('What happened to the source, as in the Event.'),
    keys: z.array(z.string()).readonly().optional().describe('At most 20 of them. Missing if they are not known.'),
    author: z.string().optional().describe('Who was first to write it. Missing without the webhook.'),
    manager: z.string().optional().describe('The field manager of that write.'),
    changedAt: timeSchema.optional().describe('When the source was written. Missing if unknown.'),
  })
  .readonly();
export type HistoryCause = z.output<typeof causeSchema>;

/** Fields that an outcome adds to an entry. */
export const outcomeFields = {
  outcome: z
    .enum(restartOutcomes)
    .describe(
      '`rolling`: not known yet. `healthy`: all pods have the change, and are available. `unhealthy`: they did not become so in time. ' +
        '`superseded`: the next restart came before. `unknown`: nobody saw how it ended, or it has no pods of its own. ' +
        '`dry-run`: nothing was written. `failed`: the write was refused.',
    ),
  outcomeAt: timeSchema.optional(),
  reason: z
    .string()
    .optional()
    .describe('For `unhealthy`, what is missing; for `failed`, the code of the error; for `unknown`, why.'),
} as const;

export const historyEntrySchema = z
  .strictObject({
    at: timeSchema.describe('When the restart was written, withheld or refused.'),
    id: shortIdSchema.describe('Of the restart, as in `reroll.dev/last-restart`, the Event and the log.'),
    kind: z.string(),
    namespace: z.string(),
    name: z.string(),
    strategy: z.string().optional().describe('As in the Event. Missing if only the workload told of the restart.'),
    causes: z.array(causeSchema).readonly().describe('At most 20.'),
    moreCauses: z.int().positive().optional().describe('The number of further causes.'),
    ...outcomeFields,
  })
  .readonly();
export type HistoryEntry = z.output<typeof historyEntrySchema>;

/** The answer to `GET /v1/history`: a page of the restarts, newest first. */
export const historyPageSchema = z
  .strictObject({
    v: z.literal(1),
    keptSince: timeSchema
      .optional()
      .describe('Earlier restarts were dropped to stay within the bound. Missing if none was.'),
    entries: z.array(historyEntrySchema).readonly().describe('At most 500, newest first.'),
    continue: z.string().optional().describe('Send it as `continue` for the next page. Missing on the last page.'),
  })
  .readonly();
export type HistoryPage = z.output<typeof historyPageSchema>;
