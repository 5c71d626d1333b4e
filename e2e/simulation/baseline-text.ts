import type { KubeObject } from '../apiserver/objects';
import type { Content, Digests, SourceName } from './contents';

/** A baseline as the judge reads it from an object. */
export interface WrittenBaseline {
  readonly n: number;
  /** The id of the digest key under which the digests were made. */
  readonly key?: string;
  /** Undefined if the baseline was part of the object's creation, or was written by an older version. */
  readonly uid?: string;
  readonly sources: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  /** What it tells beside the digests: the ids of lists of keys, and what is parsed of contents. */
  readonly filters?: Readonly<Record<string, string>>;
  readonly parsed?: WrittenBaseline['sources'];
  /** The ids of the sources of which pods may have read something else than is recorded. */
  readonly inDoubt?: readonly string[];
}

export const baselineAnnotation = 'reroll.dev/baseline';

/** A digest that no content has. Reroll records it if a restart is owed whatever the source contains. */
export const noContents = 'A'.repeat(22);

/** Undefined if the object has no readable baseline. */
export function baselineOf(object: KubeObject | undefined): WrittenBaseline | undefined {
  return object && readOf(object).baseline;
}

/** The entries of an object's baseline, by the judge's name of the source. */
export function recordedOf(
  object: KubeObject | undefined,
): ReadonlyMap<SourceName, WrittenBaseline['sources'][string]> {
  return object ? readOf(object).recorded : nothingRecorded;
}

/** The sources of which the object's baseline says that pods may have read something else than is recorded. */
export function doubtedIn(object: KubeObject | undefined): readonly SourceName[] {
  const ids = baselineOf(object)?.inDoubt ?? [];
  return ids.flatMap((id) => sourceOfEntry(id, object?.metadata.namespace ?? '') ?? []);
}

/** Whether the object's baseline tells what is parsed of the source. */
export function isRecordedParsed(object: KubeObject, source: SourceName): boolean {
  const ids = Object.keys(baselineOf(object)?.parsed ?? {});
  return ids.some((id) => sourceOfEntry(id, object.metadata.namespace ?? '') === source);
}

interface Read {
  readonly baseline: WrittenBaseline | undefined;
  readonly recorded: ReadonlyMap<SourceName, WrittenBaseline['sources'][string]>;
}

const nothingRecorded: Read['recorded'] = new Map();
/** Objects of the history never change, and are read again at every write to their workload. */
const reads = new WeakMap<KubeObject, Read>();

function readOf(object: KubeObject): Read {
  const known = reads.get(object);
  if (known) return known;
  const baseline = readBaseline(object);
  const entries = Object.entries(baseline?.sources ?? {}).flatMap(([id, entry]) => {
    const source = sourceOfEntry(id, object.metadata.namespace ?? '');
    return source === undefined ? [] : [[source, entry] as const];
  });
  const read = { baseline, recorded: new Map(entries) };
  reads.set(object, read);
  return read;
}

function readBaseline(object: KubeObject): WrittenBaseline | undefined {
  const text = object.metadata.annotations?.[baselineAnnotation];
  try {
    const parsed = JSON.parse(text ?? 'null') as Partial<WrittenBaseline> | null;
    if (typeof parsed?.n !== 'number' || parsed.n < 0 || parsed.sources === undefined) return undefined;
    return {
      ...{ n: parsed.n, sources: parsed.sources },
      ...(parsed.filters !== undefined && { filters: parsed.filters }),
      ...(parsed.parsed !== undefined && { parsed: parsed.parsed }),
      ...(parsed.inDoubt !== undefined && { inDoubt: parsed.inDoubt }),
      ...(parsed.uid !== undefined && { uid: parsed.uid }),
      ...(parsed.key !== undefined && { key: parsed.key }),
    };
  } catch {
    return undefined;
  }
}

/** Converts an entry's id, such as `cm/app`, to the judge's name of the source. Undefined for an unknown kind. */
export function sourceOfEntry(id: string, namespace: string): string | undefined {
  const [kind, name = ''] = id.split('/');
  if (kind === 'cm') return `ConfigMap ${namespace}/${name}`;
  if (kind === 'spc') return `SecretProviderClass ${namespace}/${name}`;
  return kind === 'secret' ? `Secret ${namespace}/${name}` : undefined;
}

/** Whether an entry records this content. Undefined content means that the source does not exist. */
export function matches(
  digests: Digests,
  source: string,
  content: Content | undefined,
  entry: WrittenBaseline['sources'][string],
): boolean {
  if (typeof entry === 'string') return digests.isWhole(source, content, entry);
  return Object.entries(entry).every(([key, digest]) => digests.isKey(source, key, content?.get(key), digest));
}
