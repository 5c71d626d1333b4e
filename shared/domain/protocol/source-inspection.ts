import * as z from 'zod';
import { sourceKinds } from '../sources/source';
import { deferralSchema } from './deferral';
import { sourceDecisionFields } from './source-decision';

const userSchema = z
  .strictObject({
    kind: z.string(),
    name: z.string(),
    container: z
      .string()
      .optional()
      .describe('The container that uses it, or the first one if a list names it. Missing if there is none.'),
    ...sourceDecisionFields,
    restarts: z.boolean().describe('A change of these keys would restart the workload.'),
    deferred: deferralSchema.optional().describe('That restart would not begin now. Missing if it would.'),
  })
  .readonly();
export type SourceUser = z.output<typeof userSchema>;

/** Whether Reroll knows a source. */
const presences = ['present', 'absent', 'not-listed', 'not-watched'] as const;

const stagesSchema = z
  .strictObject({
    isStopped: z.boolean().describe('One that restarted first is not healthy, so the others do not restart.'),
    waiting: z.int().positive().describe('The number of users that wait.'),
    change: z.string().optional().describe('The id of the change, which `reroll resume` writes to the source.'),
    detail: z.string().describe('What they wait for.'),
  })
  .readonly();
export type SourceStages = z.output<typeof stagesSchema>;

/** The answer to `GET /v1/sources/{kind}/{namespace}/{name}`. */
export const sourceInspectionSchema = z
  .strictObject({
    v: z.literal(1),
    kind: z.enum(sourceKinds),
    namespace: z.string(),
    name: z.string(),
    presence: z
      .enum(presences)
      .describe(
        '`absent`: there is none, or a label selector leaves it out. `not-listed`: Reroll has not listed its kind yet, or is not allowed to. ' +
          '`not-watched`: a flag leaves out its kind or its namespace.',
      ),
    namespaceSelected: z.boolean().describe('Workloads of its namespace are restarted.'),
    dryRun: z.literal(true).optional().describe('This process writes nothing, so it restarts nothing.'),
    ignore: z.boolean().optional().describe('It is annotated to be ignored. Missing if it is not present.'),
    match: z.boolean().optional().describe('It is annotated to match searches. Missing if it is not present.'),
    stages: stagesSchema.optional().describe('Users of it wait for others that restart first. Missing if none does.'),
    users: z.array(userSchema).readonly().describe('Workloads of its namespace that use or name it, by kind and name.'),
    moreUsers: z.int().positive().optional().describe('The number of further users.'),
  })
  .readonly();
export type SourceInspection = z.output<typeof sourceInspectionSchema>;
