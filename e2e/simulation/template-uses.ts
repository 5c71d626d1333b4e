import { arrayAt, objectAt, stringAt, type JsonObject, type JsonValue } from '../apiserver/json';
import type { Keys, SourceName } from './contents';

/** The sources that a pod template uses, and their keys. This is the judge's own reading. */
export function usesOfTemplate(template: JsonObject, namespace: string): ReadonlyMap<SourceName, Keys> {
  const found = new Map<SourceName, Keys>();
  const add = (kind: string, name: string | undefined, keys: Keys): void => {
    if (name === undefined || (keys !== 'all' && keys.size === 0)) return;
    const source = `${kind} ${namespace}/${name}`;
    const known = found.get(source) ?? new Set();
    found.set(source, known === 'all' || keys === 'all' ? 'all' : new Set([...known, ...keys]));
  };
  const containers = [...arrayAt(template, 'spec', 'containers'), ...arrayAt(template, 'spec', 'initContainers')];
  const mounts = containers.flatMap((container) => arrayAt(container, 'volumeMounts'));
  for (const volume of arrayAt(template, 'spec', 'volumes')) {
    const seen = mounts.filter((mount) => stringAt(mount, 'name') === stringAt(volume, 'name')).map(pathOf);
    if (seen.length === 0) continue;
    add('SecretProviderClass', stringAt(volume, 'csi', 'volumeAttributes', 'secretProviderClass'), 'all');
    add('ConfigMap', stringAt(volume, 'configMap', 'name'), keysOf(objectAt(volume, 'configMap'), seen));
    add('Secret', stringAt(volume, 'secret', 'secretName'), keysOf(objectAt(volume, 'secret'), seen));
    for (const each of arrayAt(volume, 'projected', 'sources')) {
      add('ConfigMap', stringAt(each, 'configMap', 'name'), keysOf(objectAt(each, 'configMap'), seen));
      add('Secret', stringAt(each, 'secret', 'name'), keysOf(objectAt(each, 'secret'), seen));
    }
  }
  for (const container of containers) {
    for (const { valueFrom } of arrayAt(container, 'env').map((entry) => objectAt(entry))) {
      for (const [kind, field] of [
        ['ConfigMap', 'configMapKeyRef'],
        ['Secret', 'secretKeyRef'],
      ] as const) {
        const key = stringAt(valueFrom, field, 'key');
        if (key !== undefined) add(kind, stringAt(valueFrom, field, 'name'), new Set([key]));
      }
    }
    for (const entry of arrayAt(container, 'envFrom')) {
      add('ConfigMap', stringAt(entry, 'configMapRef', 'name'), 'all');
      add('Secret', stringAt(entry, 'secretRef', 'name'), 'all');
    }
  }
  return found;
}

/** The path in the volume that a mount shows. Nobody knows what an expression expands to, so it may be any path. */
function pathOf(mount: JsonValue): readonly string[] {
  return partsOf(stringAt(mount, 'subPath') ?? '');
}

function partsOf(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

/** The keys whose files are at or below one of these paths. Without items, the file of each key has its name. */
function keysOf(source: JsonObject, seen: readonly (readonly string[])[]): Keys {
  const items = arrayAt(source, 'items');
  if (items.length === 0) {
    return seen.some((path) => path.length === 0) ? 'all' : new Set(seen.flatMap(([name = '']) => name));
  }
  const isSeen = (file: readonly string[]): boolean =>
    seen.some((path) => path.every((part, index) => part === file[index]));
  return new Set(
    items.flatMap((item) => (isSeen(partsOf(stringAt(item, 'path') ?? '')) ? (stringAt(item, 'key') ?? []) : [])),
  );
}
