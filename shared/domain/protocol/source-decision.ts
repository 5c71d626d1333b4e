import * as z from 'zod';
import type { DecisionReason } from '../policy/policy';

/** Whether a source counts for a workload, and why. */
const decisions = [
  'workload-kind-ignored',
  'source-ignored',
  'kind-left-out',
  'excluded',
  'named',
  'search-match',
  'auto',
  'auto-typed',
  'auto-reload-all',
  'opted-out',
  'not-opted-in',
  'not-watched',
] as const satisfies readonly (DecisionReason | 'not-watched')[];

const keyNames = z.array(z.string()).readonly();

/** Fields of the decision about one source for one workload. */
export const sourceDecisionFields = {
  decision: z.enum(decisions).describe('The rule that decides whether a change of the source restarts the workload.'),
  rule: z.string().optional().describe('The annotation or flag of that rule. Missing if there is none.'),
  why: z.string().describe('The same as a phrase, or else the result of the comparison.'),
  keys: z
    .union([z.literal('all'), keyNames])
    .describe('The keys that the workload uses, at most 20 of them; `all` also if they cannot be determined.'),
  moreKeys: z.int().positive().optional().describe('The number of further keys.'),
  counted: z
    .strictObject({
      keys: z.string().describe('The list, its elements in order.'),
      on: z.enum(['workload', 'source']).describe('Which of the two bears it.'),
    })
    .readonly()
    .optional()
    .describe('The annotation `reroll.dev/keys` that says which of these keys count. Missing if all do.'),
  compare: z
    .literal('parsed')
    .optional()
    .describe('White space, comments and the order of keys do not count (`reroll.dev/compare`).'),
} as const;
