import { durationMs, switchRow, objectName } from '../shared/runtime/options/option-schemas';
import { inGroup, type OptionTable, type OptionValues } from '../shared/runtime/options/option-table';
import { parseOptions, type Environment } from '../shared/runtime/options/options';
import { processOptionTable, serviceOptionTable } from '../shared/runtime/options/process-options';

export const certsOptionTable = {
  ...inGroup('What is managed', {
    once: switchRow('once', 'Do what is due now and exit: 0 if everything is done, 1 with the reason if not.'),
    certificates: switchRow(
      'certificates',
      'Manage certificates and caBundles; false if others manage them: then Reroll manages only the webhook token.',
      'true',
    ),
    validating: {
      flag: 'validating-webhook-configuration',
      schema: objectName,
      default: 'reroll',
      describe: 'ValidatingWebhookConfiguration whose caBundles and paths are managed, if it exists.',
      accepts: 'a lower-case object name',
    },
    mutating: {
      flag: 'mutating-webhook-configuration',
      schema: objectName,
      default: 'reroll',
      describe: 'MutatingWebhookConfiguration whose caBundles and paths are managed, if it exists.',
      accepts: 'a lower-case object name',
    },
    ...serviceOptionTable,
  }),
  ...inGroup('Lifetimes', {
    caLifeMs: {
      flag: 'ca-life',
      schema: durationMs,
      default: '8760h',
      describe: 'How long a CA is valid; it is replaced when a third of that is left.',
      accepts: 'a Go duration, at least three times --leaf-life',
    },
    leafLifeMs: {
      flag: 'leaf-life',
      schema: durationMs,
      default: '720h',
      describe: 'How long the other certificates are valid; they are renewed when a third of that is left.',
      accepts: 'a Go duration of 1h or more',
    },
    tokenLifeMs: {
      flag: 'token-life',
      schema: durationMs,
      default: '720h',
      describe: 'How long the token that identifies the API server to the webhook is used before it is replaced.',
      accepts: 'a Go duration of 1h or more',
    },
  }),
  ...inGroup('Process', processOptionTable),
} satisfies OptionTable;

export type CertsOptions = OptionValues<typeof certsOptionTable>;

/** With a shorter life, a missed minute or two could let a certificate expire. */
const minLeafLifeMs = 60 * 60_000;

/** A rotation of the token takes eleven minutes. */
const minTokenLifeMs = 60 * 60_000;

/** @throws UsageError with every problem of `args` and `env`, not just the first. */
export function parseCertsOptions(args: readonly string[], env: Environment): CertsOptions {
  return parseOptions(certsOptionTable, args, env, lifeProblems);
}

function lifeProblems({ caLifeMs, leafLifeMs, tokenLifeMs }: Partial<CertsOptions>): readonly string[] {
  const problems: string[] = [];
  if (leafLifeMs !== undefined && leafLifeMs < minLeafLifeMs) problems.push('--leaf-life is too short: use 1h or more');
  if (tokenLifeMs !== undefined && tokenLifeMs < minTokenLifeMs)
    problems.push('--token-life is too short: use 1h or more');
  // A leaf is never valid longer than its CA: with less, the last leaves of a CA would be cut short.
  if (caLifeMs !== undefined && leafLifeMs !== undefined && caLifeMs < 3 * leafLifeMs) {
    problems.push('--ca-life is less than three times --leaf-life: increase --ca-life or decrease --leaf-life');
  }
  return problems;
}
