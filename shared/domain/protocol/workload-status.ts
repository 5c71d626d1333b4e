import * as z from 'zod';
import { gateNames } from '../gate-settings/gate-names';

/** A time in an answer: RFC 3339 in UTC. */
export const timeSchema = z.iso.datetime();

export const workloadStates = ['in-step', 'pending', 'waiting', 'blocked', 'unhealthy', 'unknown'] as const;

/** What a workload can wait for. */
export const waitReasons = [
  'settle-window',
  ...gateNames,
  'turn',
  'rollout',
  'pause',
  'job',
  'earlier-job',
  'baseline-turn',
  'retry',
  'permission',
  'fix',
  'baseline-write',
  'sources',
] as const;
export type WaitReason = (typeof waitReasons)[number];

/** Fields of the state of a workload, in the answer about it and in its row of a page. */
export const workloadStatusFields = {
  state: z
    .enum(workloadStates)
    .describe(
      '`in-step`: nothing is left to do, as far as the watches show. `pending`: Reroll looks at it next. `waiting`: something has to end or to happen first, ' +
        'and `waitsFor` says what. A hold without an end or a stop lasts until somebody ends it. `blocked`: a write cannot succeed until somebody acts: ' +
        "a permission is missing, the API server refuses it, or something removes the baseline from Reroll's writes. `unhealthy`: it has the change, and its pods are not well since that restart. `unknown`: Reroll is not allowed to list some of its sources, or has not listed them yet.",
    ),
  since: timeSchema.optional().describe('Since when it has waited for this. Missing if unknown.'),
  waitsFor: z
    .enum(waitReasons)
    .optional()
    .describe(
      '`settle-window`: its sources have just changed. `turn`: it is looked at now, or others are looked at before. ' +
        '`hold`, `window`, `interval`, `next-rollout`, `order`, `stages`, `pace`: its restart may not begin yet, and `detail` names what keeps it. ' +
        "`rollout`: somebody else's rollout may answer the change. `pause`: the restart is written, and Reroll holds the Deployment " +
        'paused. `job`: the Job is being recreated. `earlier-job`: an earlier Job of this name is being recreated, or may be. `baseline-turn`: ' +
        'its baseline is recorded later, also if something keeps removing it. `retry`: the last attempt failed. `permission`: a permission is missing. `fix`: the API ' +
        'server refuses the write. `baseline-write`: its baseline is kept in memory only, because a permission is missing or ' +
        'something removes the annotation. `sources`: a permission to list sources is missing.',
    ),
  until: timeSchema
    .optional()
    .describe('When Reroll looks at it again, or its restart may begin, unless something happens before.'),
  detail: z
    .string()
    .optional()
    .describe('What keeps its restart from beginning, such as `reroll.dev/hold on namespace shop: release freeze`.'),
  errorCode: z.string().optional().describe('The code of the last error, if the last attempt failed.'),
} as const;

/** The state of a workload. */
export type WorkloadStatus = Readonly<z.output<z.ZodObject<typeof workloadStatusFields>>>;
