import * as z from 'zod';
import { sourceKinds } from '../sources/source';
import { outcomeFields } from './history';
import { sourceDecisionFields } from './source-decision';
import { timeSchema, workloadStatusFields } from './workload-status';

/** Why Reroll does not track a workload. */
export const untrackedReasons = [
  'kind-ignored',
  'namespace-not-watched',
  'namespace-not-selected',
  'not-opted-in',
  'job-of-a-cronjob',
  'policy-never',
  'being-recreated',
  'not-listed',
  'not-found',
] as const;
export type UntrackedReason = (typeof untrackedReasons)[number];

/** What is recorded of a source, compared with what it is now. */
const standings = [
  'unchanged',
  'same-parsed',
  'changed',
  'not-recorded',
  'absent',
  'not-rotated',
  'not-read-yet',
  'not-compared',
] as const;
export type SourceStanding = (typeof standings)[number];

const identity = { v: z.literal(1), kind: z.string(), namespace: z.string(), name: z.string() } as const;

const usedSourceSchema = z
  .strictObject({
    kind: z.enum(sourceKinds),
    name: z.string(),
    container: z.string().optional().describe('The container that uses it, or the first one if a list names it.'),
    exists: z.boolean().describe('As far as Reroll has seen.'),
    ...sourceDecisionFields,
    standing: z
      .enum(standings)
      .describe(
        'What the pods run with, compared with what the source holds now. `same-parsed`: only what does not count with ' +
          '`reroll.dev/compare: parsed` differs. `not-recorded`: Reroll has yet to record it. ' +
          '`absent`: the source does not exist. `not-rotated`: no rotation of a SecretProviderClass has been seen. ' +
          '`not-compared`: the source does not count.',
      ),
    changedKeys: z
      .array(z.string())
      .readonly()
      .optional()
      .describe('The keys that differ, at most 20 of them. Missing if nothing differs or they are not known.'),
    moreChangedKeys: z.int().positive().optional().describe('The number of further keys that differ.'),
    restarts: z.boolean().describe('The difference calls for a restart.'),
  })
  .readonly();
export type UsedSource = z.output<typeof usedSourceSchema>;

const trackedSchema = z
  .strictObject({
    ...identity,
    tracked: z.literal(true),
    ...workloadStatusFields,
    dryRun: z
      .boolean()
      .describe('This process writes nothing, so it restarts nothing. A restart that it withheld counts as done.'),
    deleting: z.boolean().describe('It is being deleted, so nothing restarts it and its sources do not matter.'),
    restart: z
      .enum(['owed', 'not-owed', 'not-known'])
      .describe('Whether the workload needs a restart. `not-known`: a source must be read first.'),
    sources: z.array(usedSourceSchema).readonly().describe('At most 500. Those that call for a restart come first.'),
    moreSources: z.int().positive().optional().describe('The number of further sources.'),
    lastRestart: z
      .strictObject({
        at: timeSchema,
        id: z.string().describe('As in the log and in the Event.'),
        outcome: outcomeFields.outcome.optional().describe('How it ended. Missing if the history does not know it.'),
        reason: z.string().optional().describe('Why it ended like that.'),
      })
      .readonly()
      .optional()
      .describe(
        'From the annotation `reroll.dev/last-restart`. A CronJob that restarts with its next run has the time of the decision.',
      ),
    baselineProblem: z.string().optional().describe('Why `reroll.dev/baseline` cannot be used.'),
    problems: z.array(z.string()).readonly().describe('What is wrong with its annotations, as in the log.'),
  })
  .readonly();

const untrackedSchema = z
  .strictObject({
    ...identity,
    tracked: z.literal(false),
    because: z.enum(untrackedReasons),
    why: z.string().describe('The same as a phrase.'),
  })
  .readonly();

/** The answer to `GET /v1/workloads/{kind}/{namespace}/{name}`. */
export const workloadInspectionSchema = z.discriminatedUnion('tracked', [trackedSchema, untrackedSchema]);
export type WorkloadInspection = z.output<typeof workloadInspectionSchema>;
