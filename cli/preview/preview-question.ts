import { UsageError } from '../../shared/runtime/options/options';
import { contentNamed } from '../cluster/object-names';
import type { KeyAssignment, PreviewOptions } from './preview-options';
import type { EditedKind } from './source-object';

/** A change of one source, by hand. */
export interface Edit {
  readonly kind: EditedKind;
  readonly name: string;
  readonly set: readonly KeyAssignment[];
  readonly setFile: readonly KeyAssignment[];
  readonly unset: readonly string[];
  readonly isDeletion: boolean;
}

/** The change that is asked about. */
export type PreviewQuestion = { readonly edit: Edit } | { readonly filenames: readonly string[] };

/** @throws UsageError */
export function previewQuestion(
  positional: readonly string[],
  { filenames, set, setFile, unset, isDeletion }: PreviewOptions,
): PreviewQuestion {
  const isEdited = set.length + setFile.length + unset.length > 0;
  if (filenames.length > 0) {
    if (positional.length > 0) throw new UsageError(['name either a source or files with --filename, not both']);
    if (isEdited || isDeletion)
      throw new UsageError([
        '--set, --set-file, --unset and --delete need a source such as configmap/app, and no --filename',
      ]);
    return { filenames };
  }
  if (positional.length === 0)
    throw new UsageError(['name what would change: manifests with --filename, or a source such as configmap/app']);
  const { kind, name } = contentNamed(
    positional,
    'an edit of a SecretProviderClass restarts nothing: Reroll restarts for the rotations of its secrets',
  );
  if (isEdited === isDeletion)
    throw new UsageError([
      isEdited
        ? '--delete removes all keys, so it needs no --set, --set-file or --unset'
        : 'say what would change: --set, --set-file, --unset or --delete',
    ]);
  const given = new Set([...set, ...setFile].map(({ key }) => key));
  const contradictions = unset
    .filter((key) => given.has(key))
    .map(
      (key) =>
        `--unset removes the key ${JSON.stringify(key)}, which --set or --set-file sets: leave out one of the two`,
    );
  if (contradictions.length > 0) throw new UsageError(contradictions);
  return { edit: { kind, name, set, setFile, unset, isDeletion } };
}
