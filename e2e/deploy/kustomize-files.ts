import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import { isObject } from '../../shared/domain/kubernetes/json-value';
import type { Manifest } from './rendered-chart';

interface Target {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/**
 * A base, and an overlay for each variant. An overlay deletes objects that are gone, patches fields that differ, and
 * adds new objects. So it contains only the differences from the base.
 */
export function kustomizeFiles(
  base: readonly Manifest[],
  variants: ReadonlyMap<string, readonly Manifest[]>,
): ReadonlyMap<string, string> {
  const files = new Map([['base/kustomization.yaml', kustomization({ resources: ['../../manifests'] })]]);
  for (const [name, manifests] of variants) {
    const known = new Map(base.map((manifest) => [idOf(manifest), manifest]));
    const now = new Map(manifests.map((manifest) => [idOf(manifest), manifest]));
    const added = manifests.filter((manifest) => !known.has(idOf(manifest)));
    const patches = base.flatMap((manifest) => patchOf(manifest, now.get(idOf(manifest))));
    const resources = ['../../base', ...(added.length > 0 ? ['added.yaml'] : [])];
    files.set(`overlays/${name}/kustomization.yaml`, kustomization({ resources, patches }));
    if (added.length > 0) files.set(`overlays/${name}/added.yaml`, manifestsText(added));
  }
  return files;
}

/** These manifests as YAML for `kubectl apply`. */
export function manifestsText(manifests: readonly object[]): string {
  return manifests.map((manifest) => stringify(manifest, { lineWidth: 0 })).join('---\n');
}

/** The text of a `kustomization.yaml` with these fields. */
export function kustomization(fields: object): string {
  return stringify(
    { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', ...fields },
    { lineWidth: 0 },
  );
}

function idOf({ apiVersion, kind, metadata }: Manifest): string {
  return [apiVersion, kind, metadata.namespace ?? '', metadata.name].join('/');
}

function targetOf({ apiVersion, kind, metadata: { name, namespace } }: Manifest): Target {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  return { group, version, kind, name, ...(namespace !== undefined && { namespace }) };
}

function patchOf(before: Manifest, after: Manifest | undefined): readonly object[] {
  const target = targetOf(before);
  if (!after) {
    const { apiVersion, kind, metadata } = before;
    const { name, namespace } = metadata;
    return [{ target, patch: stringify({ $patch: 'delete', apiVersion, kind, metadata: { name, namespace } }) }];
  }
  const operations = differences(before, after, '');
  return operations.length === 0 ? [] : [{ target, patch: stringify(operations, { lineWidth: 0 }) }];
}

/** RFC 6902 operations that turn one object into the other. Lists are replaced as a whole. */
function differences(before: object, after: object, path: string): readonly object[] {
  const [from, to] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const gone = [...from.keys()].filter((name) => !to.has(name));
  return [
    ...gone.map((name) => ({ op: 'remove', path: `${path}/${escaped(name)}` })),
    ...[...to].flatMap(([name, value]: [string, unknown]): readonly object[] => {
      const at = `${path}/${escaped(name)}`;
      const known: unknown = from.get(name);
      if (!from.has(name)) return [{ op: 'add', path: at, value }];
      if (isDeepStrictEqual(known, value)) return [];
      return isObject(known) && isObject(value) ? differences(known, value, at) : [{ op: 'replace', path: at, value }];
    }),
  ];
}

/** Escapes a name for a JSON Pointer (RFC 6901). */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
