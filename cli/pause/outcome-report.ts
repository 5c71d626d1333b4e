import * as z from 'zod';

/** Fields of the output of each command that changes an object. */
export const outcomeFields = {
  v: z.literal(1),
  kind: z.string().describe('Of the object that the command is about.'),
  namespace: z.string().optional().describe('Missing for a namespace.'),
  name: z.string(),
  answer: z.string().describe('The first line of the text.'),
  changed: z.boolean().describe('Whether anything was written.'),
} as const;

const waiting = z
  .array(z.string())
  .readonly()
  .optional()
  .describe('Restarts that the hold is about, such as `Deployment shop/web`. Missing if the leader does not tell.');

/** The output of `reroll pause -o json`. */
export const pauseReportSchema = z.strictObject({
  ...outcomeFields,
  hold: z.string().optional().describe('The annotation `reroll.dev/hold`, as written. Missing if nothing was.'),
  waiting,
});

/** The output of `reroll resume -o json`. */
export const resumeReportSchema = z.strictObject({
  ...outcomeFields,
  stillHeld: z
    .array(z.string())
    .readonly()
    .optional()
    .describe('What still holds it, each a sentence. Missing if there is no such object.'),
  waiting,
});

/** What an outcome tells, besides the object, the first line and what waits. */
export type Did<Report extends { readonly changed: boolean }> = Omit<
  Report,
  Exclude<keyof typeof outcomeFields, 'changed'> | 'waiting'
>;

export type Paused = Did<z.output<typeof pauseReportSchema>>;
export type Resumed = Did<z.output<typeof resumeReportSchema>>;
