import * as z from 'zod';
import { timeOf } from '../../shared/domain/gate-settings/hold';
import { durationMs, switchRow } from '../../shared/runtime/options/option-schemas';
import { inGroup, type OptionTable, type OptionValues } from '../../shared/runtime/options/option-table';
import { clusterOptionTable, narrowOutputRow } from '../cluster/cluster-options';

const { namespace, ...others } = clusterOptionTable;

const objectRows = {
  namespace: { ...namespace, describe: "Namespace of the object; otherwise the context's." },
  everything: switchRow('all', 'Everything that the install restarts: ConfigMap reroll-hold in its namespace.'),
} satisfies OptionTable;

/** Longer texts are cut where they are shown. */
const maxReasonBytes = 200;

export const pauseOptionTable = {
  ...inGroup('What is held', objectRows),
  ...inGroup('How long, and why', {
    untilMs: {
      flag: 'until',
      schema: z
        .string()
        .transform((text, context) => {
          const ms = timeOf(text);
          if (ms !== undefined) return ms;
          context.addIssue('not a time as in RFC 3339');
          return z.NEVER;
        })
        .optional(),
      describe: 'When the hold ends by itself; otherwise with reroll resume.',
      accepts: 'a time such as 2026-12-01T06:00:00Z',
    },
    forMs: {
      flag: 'for',
      schema: durationMs.refine((ms) => ms > 0, 'no time at all').optional(),
      describe: 'How long it holds, instead of --until.',
      accepts: 'a Go duration such as 30m or 48h',
    },
    because: {
      flag: 'because',
      schema: z
        .string()
        .trim()
        .min(1, 'must not be empty')
        .refine((text) => Buffer.byteLength(text) <= maxReasonBytes, `longer than ${maxReasonBytes} bytes`)
        .optional(),
      describe: 'Why, for whoever asks why nothing restarts.',
      accepts: 'a text such as "release freeze"',
    },
  } satisfies OptionTable),
  ...others,
  output: narrowOutputRow,
} satisfies OptionTable;

export const resumeOptionTable = {
  ...inGroup('What is resumed', {
    ...objectRows,
    override: switchRow(
      'override',
      'Restart this workload, or for this source, although its namespace is held: write reroll.dev/hold: "false".',
    ),
  } satisfies OptionTable),
  ...others,
  output: narrowOutputRow,
} satisfies OptionTable;

export type PauseOptions = OptionValues<typeof pauseOptionTable>;
export type ResumeOptions = OptionValues<typeof resumeOptionTable>;
