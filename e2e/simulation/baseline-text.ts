import type { KubeObject } from '../apiserver/objects';
import type { Content, Digests, SourceName } from './contents';

/** A baseline as the judge reads it off an object. */
export interface WrittenBaseline {
  readonly n: number;
  /** Which key its digests are made with. */
  readonly key?: string;
  /** Undefined where it was written into the creation of its object. */
  readonly uid?: string;
  readonly sources: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

export const baselineAnnotation = 'reroll.dev/baseline';

/** What no content has as its digest: recorded where anything that is there is owed. */
export const noContents = 'A'.repeat(22);

/** Undefined where there is none that makes sense. */
export function baselineOf(object: KubeObject | undefined): WrittenBaseline | undefined {
  if (object === undefined) return undefined;
  // Objects of the history never change, and are asked at every write of their life.
  if (!read.has(object)) read.set(object, readBaseline(object));
  return read.get(object);
}

const read = new WeakMap<KubeObject, WrittenBaseline | undefined>();

function readBaseline(object: KubeObject): WrittenBaseline | undefined {
  const text = object.metadata.annotations?.[baselineAnnotation];
  try {
    const parsed = JSON.parse(text ?? 'null') as Partial<WrittenBaseline> | null;
    if (typeof parsed?.n !== 'number' || parsed.n < 0 || parsed.sources === undefined) return undefined;
    return {
      ...{ n: parsed.n, sources: parsed.sources },
      ...(parsed.uid !== undefined && { uid: parsed.uid }),
      ...(parsed.key !== undefined && { key: parsed.key }),
    };
  } catch {
    return undefined;
  }
}

/** `cm/app` of a baseline in a namespace, as the judge names sources; undefined for another kind. */
export function sourceOfEntry(id: string, namespace: string): string | undefined {
  const [kind, name = ''] = id.split('/');
  if (kind === 'cm') return `ConfigMap ${namespace}/${name}`;
  if (kind === 'spc') return `SecretProviderClass ${namespace}/${name}`;
  return kind === 'secret' ? `Secret ${namespace}/${name}` : undefined;
}

/** What stands in an object's baseline, by source as the judge names it. */
export function recordedOf(
  object: KubeObject | undefined,
): ReadonlyMap<SourceName, WrittenBaseline['sources'][string]> {
  const entries = Object.entries(baselineOf(object)?.sources ?? {}).flatMap(([id, entry]) => {
    const source = sourceOfEntry(id, object?.metadata.namespace ?? '');
    return source === undefined ? [] : [[source, entry] as const];
  });
  return new Map(entries);
}

/** Whether an entry records this content; undefined: the source does not exist. */
export function matches(
  digests: Digests,
  source: string,
  content: Content | undefined,
  entry: WrittenBaseline['sources'][string],
): boolean {
  if (typeof entry === 'string') return digests.isWhole(source, content, entry);
  return Object.entries(entry).every(([key, digest]) => digests.isKey(source, key, content?.get(key), digest));
}
