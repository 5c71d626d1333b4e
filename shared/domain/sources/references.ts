import { budgets } from '../budgets';
import type { JsonObject } from '../kubernetes/json-value';
import { fieldAt, listOf, objectOf, textOf } from '../kubernetes/json-value';
import type { LocalSourceRef, SourceId, SourceKind } from './source';
import { sourceId } from './source';

/** The limit for names of sources and keys. A custom resource may contain a longer one, but no object has it. */
const maxNameLength = 253;

/** One source that a pod template uses. */
export interface Reference extends LocalSourceRef {
  /** The keys it uses, sorted; `all` also if they cannot be determined. */
  readonly keys: 'all' | readonly string[];
  /** The container that carries the marker; undefined only where the pod template has none. */
  readonly container: string | undefined;
}

export const noReferences: readonly Reference[] = Object.freeze([]);

/** The sources that a pod template uses, within its budgets. */
export interface TemplateReferences {
  readonly references: readonly Reference[];
  /** It uses more sources than the budget allows. */
  readonly isCut: boolean;
  /** It uses more single keys than the budget allows: for some sources all keys count. */
  readonly isCoarse: boolean;
}

/**
 * The sources that a pod template uses, each once, ordered by kind and name. A volume counts only if it is mounted.
 * `imagePullSecrets` do not count: a running pod does not use them. Malformed parts count as missing.
 *
 * The target container is Reloader's choice: the first container that mounts the source, else the first one with it in
 * its environment. If only init containers use it, the target is the first container.
 */
export function references(podSpec: unknown): readonly Reference[] {
  return templateReferences(podSpec).references;
}

/**
 * Like {@link references}, and reports what is over budget. If there are too many sources, the first ones in the
 * template count.
 */
export function templateReferences(podSpec: unknown): TemplateReferences {
  const uses = new Uses();
  // The first use of a source determines the target, so the order matters: volumes, containers, init containers.
  takeVolumes(podSpec, uses);
  takeEnvironments(podSpec, uses);
  return uses.merged();
}

interface Gathered extends Omit<Reference, 'keys'> {
  keys: 'all' | Set<string>;
}

/**
 * Collects what a template uses. It is called for each use, of which there may be a hundred thousand, so most calls
 * allocate nothing.
 */
class Uses {
  readonly #found = new Map<SourceId, Gathered>();
  #isCut = false;

  take(
    kind: SourceKind,
    source: unknown,
    nameField: string,
    keys: 'all' | readonly string[],
    container: string | undefined,
  ): void {
    if (source === undefined) return;
    const name = nameOf(objectOf(source)[nameField]);
    // No key: the mounted paths come from other sources of a projected volume.
    if (name === undefined || keys.length === 0) return;
    const id = sourceId({ kind, name });
    const known = this.#found.get(id);
    if (known) {
      if (keys === 'all') known.keys = keys;
      else if (known.keys !== 'all') for (const key of keys) known.keys.add(key);
    } else if (this.#found.size < budgets.references) {
      this.#found.set(id, { kind, name, container, keys: keys === 'all' ? keys : new Set(keys) });
    } else {
      this.#isCut = true;
    }
  }

  merged(): TemplateReferences {
    const isCut = this.#isCut;
    if (this.#found.size === 0) return { references: noReferences, isCut, isCoarse: false };
    let keysLeft: number = budgets.keysInUse;
    const ordered = [...this.#found].sort(([left], [right]) => (left < right ? -1 : 1));
    const merged = ordered.map(([, { kind, name, container, keys }]): Reference => {
      if (keys !== 'all') keysLeft -= keys.size;
      return { kind, name, container, keys: keys === 'all' || keysLeft < 0 ? 'all' : [...keys].sort() };
    });
    return { references: merged, isCut, isCoarse: keysLeft < 0 };
  }
}

/** Whether two pod templates use the same sources and keys, in the same containers. */
export function sameReferences(left: readonly Reference[], right: readonly Reference[]): boolean {
  return left.length === right.length && left.every((reference, index) => isSame(reference, right[index]));
}

function isSame(left: Reference, right: Reference | undefined): boolean {
  if (left.kind !== right?.kind || left.name !== right.name || left.container !== right.container) return false;
  if (left.keys === 'all' || right.keys === 'all') return left.keys === right.keys;
  const { keys } = right;
  return left.keys.length === keys.length && left.keys.every((key, index) => key === keys[index]);
}

/** The target for a source that a workload lists but does not use. */
export function firstContainer(podSpec: unknown): string | undefined {
  return nameOf(containersOf(podSpec)[0]?.['name']);
}

/**
 * The containers that may carry a marker, in the template's order; undefined: at most one. A strategic merge patch puts
 * the containers that it names into its own order.
 */
export function containerOrder(podSpec: unknown, used: readonly Reference[]): readonly string[] | undefined {
  const first = firstContainer(podSpec);
  const targets = new Set([first, ...used.map(({ container }) => container)]);
  if (targets.size < 2) return undefined;
  return containersOf(podSpec).flatMap(({ name }) => {
    const known = nameOf(name);
    return known !== undefined && targets.has(known) ? [known] : [];
  });
}

function containersOf(podSpec: unknown): readonly JsonObject[] {
  return listOf(objectOf(podSpec)['containers']).map(objectOf);
}

/** Undefined for a value that cannot be a name. */
function nameOf(value: unknown): string | undefined {
  const name = textOf(value);
  return name !== undefined && name.length <= maxNameLength ? name : undefined;
}

/** Includes sidecars, which are init containers with `restartPolicy: Always`. */
function initContainersOf(podSpec: unknown): readonly JsonObject[] {
  return listOf(objectOf(podSpec)['initContainers']).map(objectOf);
}

function takeEnvironments(podSpec: unknown, uses: Uses): void {
  const first = firstContainer(podSpec);
  for (const container of containersOf(podSpec)) takeEnvironment(container, nameOf(container['name']), uses);
  for (const container of initContainersOf(podSpec)) takeEnvironment(container, first, uses);
}

function takeEnvironment(container: JsonObject, target: string | undefined, uses: Uses): void {
  for (const variable of listOf(container['env'])) {
    const { configMapKeyRef, secretKeyRef } = objectOf(objectOf(variable)['valueFrom']);
    takeKey('ConfigMap', configMapKeyRef, target, uses);
    takeKey('Secret', secretKeyRef, target, uses);
  }
  for (const entry of listOf(container['envFrom'])) {
    const { configMapRef, secretRef } = objectOf(entry);
    uses.take('ConfigMap', configMapRef, 'name', 'all', target);
    uses.take('Secret', secretRef, 'name', 'all', target);
  }
}

function takeKey(kind: SourceKind, selector: unknown, target: string | undefined, uses: Uses): void {
  const key = nameOf(objectOf(selector)['key']);
  if (key !== undefined) uses.take(kind, selector, 'name', [key], target);
}

function takeVolumes(podSpec: unknown, uses: Uses): void {
  const volumes = listOf(objectOf(podSpec)['volumes']);
  if (volumes.length === 0) return;
  const mounted = mountedVolumes(podSpec);
  for (const entry of volumes) {
    const volume = objectOf(entry);
    const mount = mounted.get(volume['name']);
    if (!mount) continue;
    takeFiles('ConfigMap', volume['configMap'], 'name', mount, uses);
    takeFiles('Secret', volume['secret'], 'secretName', mount, uses);
    for (const projected of listOf(objectOf(volume['projected'])['sources'])) {
      takeFiles('ConfigMap', objectOf(projected)['configMap'], 'name', mount, uses);
      takeFiles('Secret', objectOf(projected)['secret'], 'name', mount, uses);
    }
    const csi = fieldAt(volume, ['csi', 'volumeAttributes']);
    uses.take('SecretProviderClass', csi, 'secretProviderClass', 'all', mount.target);
  }
}

/** All mounts of one volume. */
interface MountedVolume {
  readonly target: string | undefined;
  /** The path in the volume for each mount; '' for a mount of the whole volume. */
  paths: Set<string>;
  /** The keys that are mounted from a source without items. */
  topKeys?: 'all' | readonly string[];
}

/** The paths of a volume that is mounted as a whole. */
const allPaths = new Set(['']);

/** By volume name, in one pass: a template may hold tens of thousands of volumes and mounts. */
function mountedVolumes(podSpec: unknown): ReadonlyMap<unknown, MountedVolume> {
  const byName = new Map<unknown, MountedVolume>();
  const add = (container: JsonObject, target: string | undefined): void => {
    for (const mount of listOf(container['volumeMounts']).map(objectOf)) {
      const name = textOf(mount['name']);
      if (name === undefined) continue;
      const volume = byName.get(name);
      if (volume?.paths === allPaths) continue;
      // A `subPathExpr` excludes a `subPath`. Only the kubelet knows what it expands to, so it may be any path. The
      // same holds for paths that are too long, and for more paths than the budget allows.
      const path = withoutDataLink(partsOf(mount['subPath']) ?? []).join('/');
      const isWhole = path === '' || volume?.paths.size === budgets.volumePaths;
      if (!volume) byName.set(name, { target, paths: isWhole ? allPaths : new Set([path]) });
      else if (isWhole) volume.paths = allPaths;
      else volume.paths.add(path);
    }
  };
  const first = firstContainer(podSpec);
  for (const container of containersOf(podSpec)) add(container, nameOf(container['name']));
  for (const container of initContainersOf(podSpec)) add(container, first);
  return byName;
}

/** `./conf//app/` is the path `conf`, `app`; undefined for a path that is too long to process. */
function partsOf(path: unknown): readonly string[] | undefined {
  const text = textOf(path);
  if (text === undefined) return [];
  if (text.length > budgets.pathBytes) return undefined;
  const parts = text.split('/').filter((part) => part !== '' && part !== '.');
  return parts.length > budgets.pathParts ? undefined : parts;
}

/** The kubelet keeps the files of these volumes in a directory of their own, to which a link `..data` leads. */
function withoutDataLink(parts: readonly string[]): readonly string[] {
  return parts[0] === '..data' ? parts.slice(1) : parts;
}

function takeFiles(kind: SourceKind, source: unknown, nameField: string, mount: MountedVolume, uses: Uses): void {
  if (source === undefined) return;
  uses.take(kind, source, nameField, mountedKeys(listOf(objectOf(source)['items']), mount), mount.target);
}

function mountedKeys(items: readonly unknown[], mount: MountedVolume): 'all' | readonly string[] {
  const whole = mount.paths === allPaths;
  if (items.length > 0) {
    const shown = items.map(objectOf).filter(({ path }) => whole || isWithinAny(partsOf(path), mount.paths));
    return shown.flatMap(({ key }) => nameOf(key) ?? []);
  }
  // Without items, each key is a file at the top. All sources of the volume share one list: there may be thousands.
  mount.topKeys ??= whole ? 'all' : [...mount.paths].flatMap((path) => path.split('/', 1));
  return mount.topKeys;
}

/** A path that is too long to process counts as contained. */
function isWithinAny(parts: readonly string[] | undefined, directories: ReadonlySet<string>): boolean {
  if (!parts) return true;
  return parts.some((_, index) => directories.has(parts.slice(0, index + 1).join('/')));
}
