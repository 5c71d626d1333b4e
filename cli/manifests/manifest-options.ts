import { everything } from '../../shared/domain/kubernetes/selector';
import type { LintSettings } from '../../shared/domain/lint/lint-subject';
import { annotationKeysOf, annotationOptionTable } from '../../shared/runtime/options/annotation-options';
import { listOf, namespaceName, nonEmpty, oneOf } from '../../shared/runtime/options/option-schemas';
import { inGroup, type OptionTable, type OptionValues } from '../../shared/runtime/options/option-table';
import { ignoredWorkloadKindsOf, restartOptionTable } from '../../shared/runtime/options/restart-options';
import { scopeOf, selectionOptionTable } from '../../shared/runtime/options/selection-options';

/** Rows shared by all commands that read manifests. */

const { namespaces, namespacesToIgnore, ignoredSourceKinds } = selectionOptionTable;
const { flag, form, schema, describe, accepts } = namespaces;
// KUBERNETES_NAMESPACE is left out: it describes the pod of this command, such as a CI job, and not the install.
const namespacesOfTheInstall = { flag, form, schema, describe, accepts } as const;

/** What is read, and how the result is written. */
export function inputOptionTable<Format extends string>(formats: Readonly<Record<Format, Format>>) {
  return inGroup('Manifests', {
    filenames: {
      flag: 'filename',
      short: 'f',
      form: 'list',
      schema: listOf(nonEmpty).refine((names) => names.length > 0, 'nothing to read'),
      describe: 'Manifests in YAML or JSON: a file, a directory with all below it, or - for standard input.',
      accepts: 'a list of paths',
    },
    namespace: {
      flag: 'namespace',
      short: 'n',
      schema: namespaceName,
      default: 'default',
      describe: 'Namespace of the objects that name none.',
      accepts: 'a namespace',
    },
    output: {
      flag: 'output',
      short: 'o',
      schema: oneOf<Format>(formats, 'no such format'),
      default: 'text',
      describe: 'Format of the findings.',
      accepts: Object.keys(formats).join(', '),
    },
  } satisfies OptionTable);
}

/**
 * The flags of the install, without those that have no effect here: labels of namespaces and sources are known only in
 * the cluster.
 */
export const installOptionTable = {
  ...inGroup('As the install has it: what restarts', restartOptionTable),
  ...inGroup('As the install has it: which namespaces and sources', {
    namespaces: namespacesOfTheInstall,
    namespacesToIgnore,
    ignoredSourceKinds,
  }),
  ...inGroup('As the install has it: annotation keys', annotationOptionTable),
} satisfies OptionTable;

/** The parsed options. */
export interface ManifestOptions<Format extends string> {
  readonly filenames: readonly string[];
  readonly namespace: string;
  readonly output: Format;
  readonly settings: LintSettings;
}

/** The settings of the install. */
export function settingsOf(values: OptionValues<typeof installOptionTable>): LintSettings {
  const { scope } = scopeOf({ ...values, namespaceSelector: everything });
  return {
    keys: annotationKeysOf(values),
    policy: { autoReloadAll: values.autoReloadAll, ignoredWorkloadKinds: ignoredWorkloadKindsOf(values) },
    selection: {
      namespaces: values.namespaces,
      ...scope,
      sourceSelector: everything,
      ignoredSourceKinds: values.ignoredSourceKinds,
    },
    csi: values.csi,
  };
}
