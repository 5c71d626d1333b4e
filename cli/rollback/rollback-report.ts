import * as z from 'zod';
import { timeSchema } from '../../shared/domain/protocol/workload-status';
import { outcomeFields, type Did } from '../pause/outcome-report';

const keyNames = z.array(z.string()).readonly();

/** The output of `reroll rollback -o json`. Names keys, and no value. */
export const rollbackReportSchema = z.strictObject({
  ...outcomeFields,
  change: z
    .string()
    .optional()
    .describe('The id of the change whose content was kept. Missing if nothing is put back.'),
  keptAt: timeSchema.optional().describe('When that content was kept.'),
  keys: z
    .strictObject({ added: keyNames, removed: keyNames, changed: keyNames })
    .readonly()
    .optional()
    .describe('The names of keys that differ.'),
  rolledBack: z
    .string()
    .optional()
    .describe('The id of the change that restarts nothing if it is written again. Missing if no user waits for it.'),
});

export type RolledBack = Did<z.output<typeof rollbackReportSchema>>;
