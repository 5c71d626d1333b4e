import * as z from 'zod';
import type { StageSettings } from '../../domain/gate-settings/stage-settings';
import { durationMs } from './option-schemas';
import type { OptionTable, OptionValues } from './option-table';

/** Nobody waits longer for the first of many. */
const maxMs = 86_400_000;

/** How a change reaches many users of one source. */
export const stageOptionTable = {
  stagesFrom: {
    flag: 'stages-from',
    schema: z
      .string()
      .regex(/^\d{1,6}$/, 'not a number')
      .transform(Number),
    default: '20',
    describe:
      'A change of a source with this many users or more restarts one of them first, then a tenth, then the rest. The annotation reroll.dev/stages decides whatever the number.',
    accepts: 'a number of workloads; 0 for never',
  },
  healthyForMs: {
    flag: 'healthy-for',
    schema: durationMs.refine((ms) => ms >= 0 && ms <= maxMs, 'not between 0 and 24h'),
    default: '30s',
    describe: 'How long those that restart first must be healthy before others follow.',
    accepts: 'a Go duration such as 30s or 5m, at most 24h',
  },
  stageDeadlineMs: {
    flag: 'stage-deadline',
    schema: durationMs.refine((ms) => ms > 0 && ms <= maxMs, 'not between 0 and 24h'),
    default: '10m',
    describe:
      'If a workload that restarted first is not healthy this long after its restart, Reroll stops the other restarts for that change.',
    accepts: 'a Go duration such as 10m, at most 24h',
  },
} satisfies OptionTable;

export function stagesOf(values: OptionValues<typeof stageOptionTable>): StageSettings {
  const { stagesFrom: fromUsers, healthyForMs, stageDeadlineMs: deadlineMs } = values;
  return { fromUsers, healthyForMs, deadlineMs };
}
