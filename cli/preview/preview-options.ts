import * as z from 'zod';
import { listOf, nonEmpty, switchRow } from '../../shared/runtime/options/option-schemas';
import { inGroup, type OptionTable, type OptionValues } from '../../shared/runtime/options/option-table';
import { clusterOptionTable } from '../cluster/cluster-options';

const { namespace, ...others } = clusterOptionTable;

/** A key, and what is given for it. */
export interface KeyAssignment {
  readonly key: string;
  readonly given: string;
}

// The text may be a Secret's value, so no message quotes it.
const keyAssignment: z.ZodType<KeyAssignment, string> = z.string().transform((text, context) => {
  const equals = text.indexOf('=');
  if (equals > 0) return { key: text.slice(0, equals), given: text.slice(equals + 1) };
  context.addIssue(
    'no key before a "="; a comma begins another key, unless double quotes are around all of it: put these into single ones, or the shell removes them',
  );
  return z.NEVER;
});

const assignments: z.ZodType<readonly KeyAssignment[], readonly string[]> = z
  .array(z.string())
  .transform((texts, context) => {
    const values = texts.map((text) => keyAssignment.safeParse(text));
    for (const { error } of values) if (error) context.addIssue(error.issues[0]?.message ?? 'not accepted');
    return values.flatMap(({ data }) => data ?? []);
  });

export const previewOptionTable = {
  namespace,
  ...inGroup('What is asked', {
    filenames: {
      flag: 'filename',
      short: 'f',
      form: 'list',
      schema: listOf(nonEmpty),
      describe:
        'Manifests that would be applied, in YAML or JSON: a file, a directory with all below it, or - for standard input.',
      accepts: 'a list of paths',
    },
    set: {
      flag: 'set',
      form: 'list',
      schema: assignments,
      describe: 'Key of the source that would get this value. The value is not sent anywhere.',
      accepts: 'a list of KEY=VALUE',
      confidential: true,
    },
    setFile: {
      flag: 'set-file',
      form: 'list',
      schema: assignments,
      describe: 'Key of the source that would get the content of this file.',
      accepts: 'a list of KEY=PATH',
      confidential: true,
    },
    unset: {
      flag: 'unset',
      form: 'list',
      schema: listOf(nonEmpty),
      describe: 'Key of the source that would be removed.',
      accepts: 'a list of keys',
    },
    isDeletion: switchRow('delete', 'The source itself would be deleted.'),
  } satisfies OptionTable),
  ...others,
} satisfies OptionTable;

export type PreviewOptions = OptionValues<typeof previewOptionTable>;
