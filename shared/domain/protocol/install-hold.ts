import * as z from 'zod';
import { describeDeferral } from './deferral';
import { timeSchema } from './workload-status';

/** The hold of everything, while it is in force. */
export const installHoldSchema = z
  .strictObject({
    bearer: z.string().describe('What holds: `ConfigMap reroll/reroll-hold`.'),
    until: timeSchema.optional().describe('When it ends by itself. Missing if somebody has to end it.'),
    because: z.string().optional().describe('Why, in the words of whoever set it.'),
  })
  .readonly();
export type ReportedHold = z.output<typeof installHoldSchema>;

/** As a phrase behind "everything is". @example 'held until 2026-12-01T06:00:00Z by ConfigMap reroll/reroll-hold: release freeze' */
export function describeHold({ bearer, until, because }: ReportedHold, inWords?: (time: string) => string): string {
  const detail = because === undefined ? bearer : `${bearer}: ${because}`;
  return describeDeferral({ gate: 'hold', detail, ...(until !== undefined && { until }) }, inWords);
}
