import { arrayAt, stringAt } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import type { WriteRecord } from '../apiserver/store';
import { sameContent, type Content, type SourceName } from './contents';
import type { Rules } from './rules';

export const kindOfStatuses = 'SecretProviderClassPodStatus';

/** What a pod's status shows: the class and the version of each object. No content: nothing is mounted yet. */
export interface Mounted {
  readonly source: SourceName;
  readonly content: Content | undefined;
}

export function isOfPodStatus({ kind }: WriteRecord): boolean {
  return kind.kind === kindOfStatuses;
}

export function mountedOf(object: KubeObject): Mounted {
  const source = `SecretProviderClass ${object.metadata.namespace ?? ''}/${stringAt(object, 'status', 'secretProviderClassName') ?? ''}`;
  const versions = arrayAt(object, 'status', 'objects')
    .map((entry) => [stringAt(entry, 'id') ?? '', stringAt(entry, 'version') ?? ''] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return { source, content: versions.length === 0 ? undefined : new Map(versions) };
}

/** The rotation in a write that changes the versions of a status. First versions and a deletion are no rotation. */
export function rotationOf({
  kind,
  type,
  object,
  previous,
}: WriteRecord): { readonly source: SourceName; readonly content: Content; readonly former: Content } | undefined {
  if (kind.kind !== kindOfStatuses || type !== 'MODIFIED' || previous === undefined) return undefined;
  const { source, content } = mountedOf(object);
  const former = mountedOf(previous).content;
  if (content === undefined || former === undefined || sameContent(former, content)) return undefined;
  return { source, content, former };
}

export function isClass(source: SourceName): boolean {
  return source.startsWith('SecretProviderClass ');
}

/** A class exists from its first rotation on, which counts as a change, and it is never deleted. */
export function rulesFor(source: SourceName, rules: Rules): Rules {
  return isClass(source) ? { ...rules, reloadOnCreate: true, reloadOnDelete: false } : rules;
}

interface Witness {
  readonly content: Content;
  readonly atMs: number;
  /** When the status was deleted, or shows another rotation. */
  untilRevision: number;
}

/** The statuses that were rotated. A process that starts knows of the rotations that existing ones show, and of no others. */
export class Witnesses {
  readonly #rotated = new Map<SourceName, Witness[]>();
  /** By key of the status: its last rotation. */
  readonly #last = new Map<string, Witness>();

  add(write: WriteRecord): void {
    const { key, revision, atMs, type } = write;
    const rotation = rotationOf(write);
    if (!rotation && type === 'MODIFIED') return;
    const former = this.#last.get(key);
    if (former) former.untilRevision = revision;
    this.#last.delete(key);
    if (!rotation) return;
    const { source, content } = rotation;
    const witness = { content, atMs, untilRevision: Infinity };
    this.#last.set(key, witness);
    this.#rotated.set(source, [...(this.#rotated.get(source) ?? []), witness]);
  }

  /**
   * When the first of the statuses that show this content was rotated to it; undefined if none shows it. `revision`:
   * those that showed it then or later.
   */
  sinceMs(source: SourceName, content: Content | undefined, revision = Infinity): number | undefined {
    const shown = (this.#rotated.get(source) ?? []).filter(
      (status) => status.untilRevision >= revision && sameContent(status.content, content),
    );
    return shown.length === 0 ? undefined : Math.min(...shown.map(({ atMs }) => atMs));
  }
}
