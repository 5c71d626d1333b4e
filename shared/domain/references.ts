import type { JsonObject } from './json-value';
import { fieldAt, listOf, objectOf, textOf } from './json-value';
import type { SourceKind } from './source';
import { sourceId } from './source';

/** One source that a pod template uses. */
export interface Reference {
  readonly kind: SourceKind;
  readonly name: string;
  /** The keys it uses, sorted; `all` also where they cannot be told. */
  readonly keys: 'all' | readonly string[];
  /** The container that carries the marker; undefined only where the pod template has none. */
  readonly container: string | undefined;
  /** Every use of it tolerates its absence. */
  readonly optional: boolean;
}

export const noReferences: readonly Reference[] = Object.freeze([]);

/**
 * What a pod template uses, each source once, in order of kind and name. A volume counts only if it is mounted.
 * `imagePullSecrets` do not: a running pod has no use for them. What is malformed counts as missing.
 *
 * The target container is Reloader's: the first container that mounts the source, else the first one with it in its
 * environment; what only init containers use goes to the first container.
 */
export function references(podSpec: unknown): readonly Reference[] {
  const usesBySource = new Map<string, Reference[]>();
  // The order decides the target: volumes, containers, init containers; the first use of a source sets it.
  for (const use of [...volumeUses(podSpec), ...environmentUses(podSpec)]) {
    const id = sourceId(use.kind, use.name);
    const uses = usesBySource.get(id);
    if (uses) uses.push(use);
    else usesBySource.set(id, [use]);
  }
  if (usesBySource.size === 0) return noReferences;
  return [...usesBySource.keys()].sort().flatMap((id) => merge(usesBySource.get(id) ?? []));
}

/** The target for a source that a workload names without using it. */
export function firstContainer(podSpec: unknown): string | undefined {
  return textOf(containersOf(podSpec)[0]?.['name']);
}

function merge(uses: readonly Reference[]): readonly Reference[] {
  const keys = new Set<string>();
  for (const use of uses) for (const key of use.keys) keys.add(key);
  const all = uses.some((use) => use.keys === 'all');
  return uses.slice(0, 1).map((first) => ({
    ...first,
    keys: all ? 'all' : [...keys].sort(),
    optional: uses.every((use) => use.optional),
  }));
}

function containersOf(podSpec: unknown): readonly JsonObject[] {
  return listOf(objectOf(podSpec)['containers']).map(objectOf);
}

/** Sidecars are among them: init containers that are restarted always. */
function initContainersOf(podSpec: unknown): readonly JsonObject[] {
  return listOf(objectOf(podSpec)['initContainers']).map(objectOf);
}

function* environmentUses(podSpec: unknown): Generator<Reference> {
  const first = firstContainer(podSpec);
  for (const container of containersOf(podSpec)) yield* environmentOf(container, textOf(container['name']));
  for (const container of initContainersOf(podSpec)) yield* environmentOf(container, first);
}

function* environmentOf(container: JsonObject, target: string | undefined): Generator<Reference> {
  for (const variable of listOf(container['env'])) {
    const valueFrom = objectOf(objectOf(variable)['valueFrom']);
    yield* keyUse('ConfigMap', valueFrom['configMapKeyRef'], target);
    yield* keyUse('Secret', valueFrom['secretKeyRef'], target);
  }
  for (const entry of listOf(container['envFrom'])) {
    const { configMapRef, secretRef } = objectOf(entry);
    yield* use('ConfigMap', configMapRef, 'name', 'all', target);
    yield* use('Secret', secretRef, 'name', 'all', target);
  }
}

function* keyUse(kind: SourceKind, selector: unknown, target: string | undefined): Generator<Reference> {
  const key = textOf(objectOf(selector)['key']);
  yield* use(kind, selector, 'name', key === undefined ? [] : [key], target);
}

function* volumeUses(podSpec: unknown): Generator<Reference> {
  const mounted = mountedVolumes(podSpec);
  for (const entry of listOf(objectOf(podSpec)['volumes'])) {
    const volume = objectOf(entry);
    const mount = mounted.get(volume['name']);
    if (!mount) continue;
    yield* filesOf('ConfigMap', volume['configMap'], 'name', mount);
    yield* filesOf('Secret', volume['secret'], 'secretName', mount);
    for (const projected of listOf(objectOf(volume['projected'])['sources'])) {
      yield* filesOf('ConfigMap', objectOf(projected)['configMap'], 'name', mount);
      yield* filesOf('Secret', objectOf(projected)['secret'], 'name', mount);
    }
    const csi = fieldAt(volume, ['csi', 'volumeAttributes']);
    yield* use('SecretProviderClass', csi, 'secretProviderClass', 'all', mount.target);
  }
}

/** All mounts of one volume. */
interface MountedVolume {
  readonly target: string | undefined;
  /** A path in the volume for each mount; '' for one that shows all of it. */
  readonly paths: Set<string>;
}

/** By name of volume, in one pass: a template may hold tens of thousands of volumes and mounts. */
function mountedVolumes(podSpec: unknown): ReadonlyMap<unknown, MountedVolume> {
  const byName = new Map<unknown, MountedVolume>();
  const add = (container: JsonObject, target: string | undefined): void => {
    for (const mount of listOf(container['volumeMounts']).map(objectOf)) {
      const name = textOf(mount['name']);
      if (name === undefined) continue;
      const volume = byName.get(name) ?? { target, paths: new Set() };
      // A `subPathExpr` excludes a `subPath`: what it shows is known to the kubelet alone, so it may be anything.
      volume.paths.add(partsOf(mount['subPath']).join('/'));
      byName.set(name, volume);
    }
  };
  const first = firstContainer(podSpec);
  for (const container of containersOf(podSpec)) add(container, textOf(container['name']));
  for (const container of initContainersOf(podSpec)) add(container, first);
  return byName;
}

/** `./conf//app/` is the path `conf`, `app`. */
function partsOf(path: unknown): readonly string[] {
  return (textOf(path) ?? '').split('/').filter((part) => part !== '' && part !== '.');
}

function* filesOf(kind: SourceKind, source: unknown, nameField: string, mount: MountedVolume): Generator<Reference> {
  yield* use(kind, source, nameField, mountedKeys(listOf(objectOf(source)['items']), mount.paths), mount.target);
}

function mountedKeys(items: readonly unknown[], paths: ReadonlySet<string>): 'all' | readonly string[] {
  const whole = paths.has('');
  if (items.length > 0) {
    const shown = items.map(objectOf).filter(({ path }) => whole || isWithinAny(partsOf(path), paths));
    return shown.flatMap(({ key }) => textOf(key) ?? []);
  }
  // Without items each key is a file at the top.
  return whole ? 'all' : [...paths].flatMap((path) => partsOf(path).slice(0, 1));
}

function isWithinAny(parts: readonly string[], directories: ReadonlySet<string>): boolean {
  return parts.some((_, index) => directories.has(parts.slice(0, index + 1).join('/')));
}

function* use(
  kind: SourceKind,
  source: unknown,
  nameField: string,
  keys: 'all' | readonly string[],
  container: string | undefined,
): Generator<Reference> {
  const name = textOf(objectOf(source)[nameField]);
  // No key: the mounted paths come from elsewhere in a projected volume.
  if (name === undefined || keys.length === 0) return;
  yield {
    kind,
    name,
    keys,
    container,
    optional: objectOf(source)['optional'] === true,
  };
}
