import { printable } from '../../shared/domain/text/printable';
import type { Inputs } from './inputs';
import { readManifests, type Manifest } from './manifests';
import type { InputProblem } from './report-parts';

/** The objects of all files, and what could not be read. */
export interface ManifestSet {
  readonly manifests: readonly Manifest[];
  readonly errors: readonly InputProblem[];
}

/** Reads the objects of all files. The errors are fit to be shown. */
export function readManifestSet({ inputs, problems }: Inputs, defaultNamespace: string): ManifestSet {
  const read = inputs.map((input) => readManifests(input, defaultNamespace));
  const manifests = read.flatMap((each) => each.manifests);
  const errors = [...problems, ...read.flatMap((each) => each.problems)];
  // For example, the command before the pipe failed: nothing was checked, so nothing counts as clean.
  if (manifests.length === 0 && errors.length === 0) {
    errors.push(...inputs.map(({ file }) => ({ file, message: 'holds no Kubernetes object' })));
  }
  return { manifests, errors: errors.map((error) => ({ ...error, file: printable(error.file) })) };
}
