import type { SourceRef } from '../../shared/domain/sources/source';
import { printable } from '../../shared/domain/text/printable';
import type { KubeClient } from '../../shared/kube/client/client';
import { getObject, type RequestLimits } from '../../shared/kube/client/objects';
import { UsageError } from '../../shared/runtime/options/options';
import { look } from '../evidence/seen';
import { sourceResources } from '../cluster/source-resources';
import type { Files } from '../manifests/files';
import { reasonOf } from '../manifests/inputs';
import type { Edit } from './preview-question';
import type { SourceChange, SourceChanges } from './source-change';
import { contentKeys, isContentKey, readSourceObject, type EditedKind, type SourceObject } from './source-object';

/** The values of keys after an edit. */
export type NewContent = ReadonlyMap<string, Buffer>;

/** Reads the values of `--set` and `--set-file`. @throws UsageError */
export async function readNewContent({ set, setFile }: Edit, files: Files): Promise<NewContent> {
  const content = new Map(set.map(({ key, given }) => [key, Buffer.from(given)]));
  const problems: string[] = [];
  for (const { key, given: path } of setFile) {
    try {
      content.set(key, Buffer.from(await files.read(path)));
    } catch (thrown) {
      problems.push(`--set-file: ${printable(path)} cannot be read: ${printable(reasonOf(thrown))}`);
    }
  }
  if (problems.length > 0) throw new UsageError(problems);
  return content;
}

/** The change that an edit makes to a stored source. */
export async function editedSource(
  client: KubeClient,
  source: SourceRef<EditedKind>,
  { edit, content }: { readonly edit: Edit; readonly content: NewContent },
  changes: SourceChanges,
  limits: RequestLimits,
): Promise<SourceChange> {
  const { kind, namespace, name } = source;
  const { unset, isDeletion } = edit;
  const wrong = [...content.keys()].find((key) => !isContentKey(key));
  const refusal = wrong === undefined ? undefined : `cannot have the key ${JSON.stringify(wrong)}: ${contentKeys}`;
  const seen = await look(getObject(client, sourceResources[kind], namespace, name, limits));
  if (seen.is === 'hidden') {
    const touched = [...content.keys(), ...unset];
    return { ...changes.assumed(source, seen.right, { touched, manifest: undefined, isDeletion }), refusal };
  }
  const before = seen.is === 'there' ? readSourceObject(kind, seen.value) : undefined;
  const change = changes.between(source, before, isDeletion ? undefined : after(before, content, unset));
  return { ...change, refusal: change.refusal ?? refusal };
}

/** Undefined if the source does not exist, and the edit does not create it. */
function after(
  before: SourceObject | undefined,
  content: NewContent,
  unset: readonly string[],
): SourceObject | undefined {
  if (!before && content.size === 0) return undefined;
  const kept = [...(before?.content ?? [])].filter(([key]) => !unset.includes(key));
  const { annotations = {}, labels = {}, isImmutable = false } = before ?? {};
  return { content: new Map([...kept, ...content]), annotations, labels, isImmutable };
}
