import * as z from 'zod';
import { findingStates } from './finding';

/** The output of `reroll check -o json`. Removing a field or changing its meaning requires a new version. */
export const checkReportSchema = z.strictObject({
  v: z.literal(1),
  checks: z
    .array(
      z.strictObject({
        name: z.string().describe('As in docs/command-line.md.'),
        state: z
          .enum(findingStates)
          .describe('`unknown`: it cannot be told, mostly for lack of a right of the person who asks.'),
        says: z.string().describe('What was found, in one line.'),
        fix: z.string().optional().describe('What to do. Missing if there is nothing to do.'),
      }),
    )
    .readonly()
    .describe('In the order in which they are shown.'),
});

export type CheckReport = z.output<typeof checkReportSchema>;
