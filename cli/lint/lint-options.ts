import { annotationProblems } from '../../shared/runtime/options/annotation-options';
import type { OptionTable } from '../../shared/runtime/options/option-table';
import { parseOptions, type Environment } from '../../shared/runtime/options/options';
import { inputOptionTable, installOptionTable, settingsOf, type ManifestOptions } from '../manifests/manifest-options';

export type OutputFormat = 'text' | 'json' | 'sarif';

const formats: Readonly<Record<OutputFormat, OutputFormat>> = { text: 'text', json: 'json', sarif: 'sarif' };

export const lintOptionTable = { ...inputOptionTable(formats), ...installOptionTable } satisfies OptionTable;

export type LintOptions = ManifestOptions<OutputFormat>;

/** @throws UsageError with every problem of `args` and `env`, not just the first. */
export function parseLintOptions(args: readonly string[], env: Environment): LintOptions {
  const values = parseOptions(lintOptionTable, args, env, annotationProblems);
  const { filenames, namespace, output } = values;
  return { filenames, namespace, output, settings: settingsOf(values) };
}
