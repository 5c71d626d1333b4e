import * as z from 'zod';

const timeSchema = z.iso.datetime();

const causeSchema = z
  .strictObject({
    kind: z.string(),
    name: z.string(),
    namespace: z.string().optional(),
    change: z.string().optional(),
    why: z.string(),
    keys: z.array(z.string()).readonly().optional(),
    author: z.string().optional(),
    manager: z.string().optional(),
    changedAt: timeSchema.optional(),
  })
  .readonly();

const entrySchema = z
  .strictObject({
    at: timeSchema,
    id: z.string(),
    kind: z.string(),
    namespace: z.string(),
    name: z.string(),
    strategy: z.string(),
    causes: z.array(causeSchema).readonly(),
    outcome: z.string(),
    outcomeAt: timeSchema.optional(),
    reason: z.string().optional(),
  })
  .readonly();

/** What the page reads of the answer to `GET /v1/history`: a page of restarts, newest first. */
export const historyAnswerSchema = z
  .strictObject({
    v: z.literal(1),
    keptSince: timeSchema.optional(),
    entries: z.array(entrySchema).readonly(),
  })
  .readonly();
