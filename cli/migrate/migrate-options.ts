import * as z from 'zod';
import type { LintSettings } from '../../shared/domain/lint/lint-subject';
import { parseGoBool } from '../../shared/domain/text/go-bool';
import { annotationProblems } from '../../shared/runtime/options/annotation-options';
import { listOf, namespaceName, nonEmpty, switchRow } from '../../shared/runtime/options/option-schemas';
import { inGroup, type OptionTable, type OptionValues } from '../../shared/runtime/options/option-table';
import { parseOptions, type Environment } from '../../shared/runtime/options/options';
import { clusterOptionTable } from '../cluster/cluster-options';
import { inputOptionTable, installOptionTable, settingsOf, type ManifestOptions } from '../manifests/manifest-options';

export type OutputFormat = 'text' | 'json';

const formats: Readonly<Record<OutputFormat, OutputFormat>> = { text: 'text', json: 'json' };

const { filenames, namespace, output } = inputOptionTable(formats);
const { kubeconfig, context, timeoutMs } = clusterOptionTable;

export const migrateOptionTable = {
  ...inGroup('Manifests', {
    filenames: { ...filenames, schema: listOf(nonEmpty) },
    namespace: {
      ...{ flag: namespace.flag, short: namespace.short, accepts: namespace.accepts },
      schema: namespaceName.optional(),
      describe: 'Namespace of the objects that name none, otherwise default. Without files, the namespace to read.',
    },
    output,
  } satisfies OptionTable),
  ...inGroup('Cluster', {
    allNamespaces: { ...switchRow('all-namespaces', 'Read all namespaces of the cluster.'), short: 'A' },
    ...{ kubeconfig, context, timeoutMs },
  } satisfies OptionTable),
  ...installOptionTable,
} satisfies OptionTable;

/** Where a cluster is, and what of it is read. */
export interface ClusterPart {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly timeoutMs: number;
  /** Undefined: all. */
  readonly namespace: string | undefined;
}

/** The flags of the install, and what Reloader does where its default is another one. */
export interface MigrationSettings extends LintSettings {
  /** Whether Reloader is known to restart Rollouts too: it does so only with the flag. */
  readonly reloaderRestartsRollouts?: boolean;
}

export interface MigrateOptions extends ManifestOptions<OutputFormat> {
  readonly settings: MigrationSettings;
  /** Set if there are no files. */
  readonly cluster: ClusterPart | undefined;
}

type Values = OptionValues<typeof migrateOptionTable>;

/** Reloader takes only this text as on, and Reroll other booleans too. */
const onlyTrue = z
  .string()
  .refine((text) => parseGoBool(text) !== undefined)
  .transform((text) => text === 'true');

/** With Reloader's default: the value is true only if somebody gave the flag. */
const tableOfReloader = {
  ...migrateOptionTable,
  rollouts: { ...migrateOptionTable.rollouts, schema: onlyTrue, default: 'false' },
} satisfies OptionTable;

/** @throws UsageError with every problem of `args` and `env`, not just the first. */
export function parseMigrateOptions(args: readonly string[], env: Environment): MigrateOptions {
  const values = parseOptions(migrateOptionTable, args, env, (given) => [
    ...annotationProblems(given),
    ...inputProblems(given),
  ]);
  const { filenames: names, allNamespaces, kubeconfig: file, context: name, timeoutMs: limitMs } = values;
  const within = allNamespaces ? undefined : values.namespace;
  return {
    ...{ filenames: names, namespace: values.namespace ?? 'default', output: values.output },
    settings: { ...settingsOf(values), reloaderRestartsRollouts: parseOptions(tableOfReloader, args, env).rollouts },
    cluster: names.length > 0 ? undefined : { kubeconfig: file, context: name, timeoutMs: limitMs, namespace: within },
  };
}

function inputProblems({ filenames: names = [], allNamespaces = false, namespace: within }: Partial<Values>) {
  if (names.length > 0) return allNamespaces ? ['name either files with --filename or --all-namespaces, not both'] : [];
  if (allNamespaces && within !== undefined) return ['name either --namespace or --all-namespaces, not both'];
  const isNamed = allNamespaces || within !== undefined;
  return isNamed
    ? []
    : ['nothing to read: name manifests with --filename, or --namespace or --all-namespaces of a cluster'];
}
