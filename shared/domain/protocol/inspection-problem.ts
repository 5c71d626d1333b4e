import * as z from 'zod';

const inspectionProblemCodes = [
  'starting',
  'stopping',
  'not-synced',
  'not-leading',
  'no-workloads',
  'no-such-path',
  'bad-request',
  'method-not-allowed',
  'forbidden',
  'internal',
] as const;

/** What a reconciler says instead of an answer, with a status of 400 or more. */
export const inspectionProblemSchema = z
  .strictObject({
    v: z.literal(1),
    code: z.enum(inspectionProblemCodes).describe('Stays the same if the message is reworded.'),
    message: z.string().describe('What is wrong, and what to do.'),
    leader: z
      .string()
      .optional()
      .describe(
        'The identity of the replica that leads, which is the name of its pod: ask that one. Missing if unknown.',
      ),
  })
  .readonly();
export type InspectionProblem = z.output<typeof inspectionProblemSchema>;
