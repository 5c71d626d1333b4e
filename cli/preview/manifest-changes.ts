import { fieldAt, textOf } from '../../shared/domain/kubernetes/json-value';
import { sourceKey, type SourceRef } from '../../shared/domain/sources/source';
import type { KubeClient } from '../../shared/kube/client/client';
import { getObject, type RequestLimits } from '../../shared/kube/client/objects';
import { look } from '../evidence/seen';
import { sourceResources } from '../cluster/source-resources';
import type { Manifest } from '../manifests/manifests';
import type { InputProblem } from '../manifests/report-parts';
import type { SourceChange, SourceChanges } from './source-change';
import { applied, contentProblems, nameProblems, readSourceObject, type EditedKind } from './source-object';

/** A ConfigMap or Secret of the manifests. */
interface SourceManifest {
  readonly source: SourceRef<EditedKind>;
  readonly object: unknown;
}

/** What the API server would refuse in the sources among the manifests. */
export function sourceProblems(manifests: readonly Manifest[]): readonly InputProblem[] {
  return manifests.flatMap((manifest) => {
    const kind = editedKind(manifest);
    if (!kind) return [];
    const { file, line, lineOf, object, plainAt } = manifest;
    const problems = [...nameProblems(object, plainAt), ...contentProblems(kind, object, plainAt)];
    return problems.map(({ path, message }) => ({ file, line: lineOf(path) ?? line, message }));
  });
}

/** The changes that an apply of the manifests would make to sources. */
export async function manifestChanges(
  client: KubeClient,
  manifests: readonly Manifest[],
  changes: SourceChanges,
  limits: RequestLimits,
): Promise<readonly SourceChange[]> {
  // If an object is there twice, the later one is applied last.
  const sources = new Map(sourceManifests(manifests).map((each) => [sourceKey(each.source), each]));
  const read = async ({ source, object }: SourceManifest): Promise<SourceChange> => {
    const { kind, namespace, name } = source;
    const seen = await look(getObject(client, sourceResources[kind], namespace, name, limits));
    const manifest = readSourceObject(kind, object);
    if (seen.is === 'hidden') {
      return changes.assumed(source, seen.right, { touched: 'all', manifest, isDeletion: false });
    }
    if (seen.is === 'absent') return changes.between(source, undefined, manifest);
    return changes.between(source, readSourceObject(kind, seen.value), applied(kind, object, seen.value));
  };
  return await Promise.all([...sources.values()].map(read));
}

function sourceManifests(manifests: readonly Manifest[]): readonly SourceManifest[] {
  return manifests.flatMap((manifest) => {
    const { namespace, object } = manifest;
    const kind = editedKind(manifest);
    const name = textOf(fieldAt(object, ['metadata', 'name']));
    // Without a name, the API server makes one that nobody uses yet.
    return kind && name !== undefined ? [{ source: { kind, namespace, name }, object }] : [];
  });
}

function editedKind({ group, kind }: Manifest): EditedKind | undefined {
  return group === '' && (kind === 'ConfigMap' || kind === 'Secret') ? kind : undefined;
}
