import { everything } from '../shared/domain/kubernetes/selector';
import type { LintSettings } from '../shared/domain/lint/lint-subject';
import {
  annotationKeysOf,
  annotationOptionTable,
  annotationProblems,
} from '../shared/runtime/options/annotation-options';
import { listOf, namespaceName, nonEmpty, oneOf } from '../shared/runtime/options/option-schemas';
import { inGroup, type OptionTable } from '../shared/runtime/options/option-table';
import { parseOptions, type Environment } from '../shared/runtime/options/options';
import { ignoredWorkloadKindsOf, restartOptionTable } from '../shared/runtime/options/restart-options';
import { scopeOf, selectionOptionTable } from '../shared/runtime/options/selection-options';

export type OutputFormat = 'text' | 'json' | 'sarif';

const formats: Readonly<Record<OutputFormat, OutputFormat>> = { text: 'text', json: 'json', sarif: 'sarif' };

const { namespaces, namespacesToIgnore, ignoredSourceKinds } = selectionOptionTable;
const { flag, form, schema, describe, accepts } = namespaces;
// KUBERNETES_NAMESPACE is left out: it describes the pod of this command, such as a CI job, and not the install.
const namespacesOfTheInstall = { flag, form, schema, describe, accepts } as const;

/**
 * The flags of the install, without those that have no effect here: labels of namespaces and sources are known only in
 * the cluster.
 */
export const lintOptionTable = {
  ...inGroup('Manifests', {
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
      schema: oneOf(formats, 'no such format'),
      default: 'text',
      describe: 'Format of the findings.',
      accepts: Object.keys(formats).join(', '),
    },
  }),
  ...inGroup('As the install has it: what restarts', restartOptionTable),
  ...inGroup('As the install has it: which namespaces and sources', {
    namespaces: namespacesOfTheInstall,
    namespacesToIgnore,
    ignoredSourceKinds,
  }),
  ...inGroup('As the install has it: annotation keys', annotationOptionTable),
} satisfies OptionTable;

/** The parsed options. */
export interface LintOptions {
  readonly filenames: readonly string[];
  readonly namespace: string;
  readonly output: OutputFormat;
  readonly settings: LintSettings;
}

/** @throws UsageError with every problem of `args` and `env`, not just the first. */
export function parseLintOptions(args: readonly string[], env: Environment): LintOptions {
  const values = parseOptions(lintOptionTable, args, env, annotationProblems);
  const { filenames, namespace, output, autoReloadAll, csi, namespaces, ignoredSourceKinds } = values;
  const { scope } = scopeOf({ ...values, namespaceSelector: everything });
  return {
    ...{ filenames, namespace, output },
    settings: {
      keys: annotationKeysOf(values),
      policy: { autoReloadAll, ignoredWorkloadKinds: ignoredWorkloadKindsOf(values) },
      selection: { namespaces, ...scope, sourceSelector: everything, ignoredSourceKinds },
      csi,
    },
  };
}
