import type { ContentDigest } from '../../shared/domain/sources/content-digest';
import { objectKey, splitObjectKey, type ObjectKey } from '../../shared/domain/kubernetes/object-key';
import type { DigestedSource, SourceRecord } from '../../shared/domain/sources/source';
import type { CsiClass, CsiPodStatus } from '../../shared/kube/sources/csi-decoder';
import type { ReflectorSink } from '../../shared/kube/list-watch/reflector';
import type { Clock } from '../../shared/runtime/clock';
import type { SourceIndex } from './source-index';

export interface CsiRotationsOptions {
  readonly clock: Clock;
  readonly sources: Pick<SourceIndex, 'sink'>;
}

/**
 * A write to a status this soon after its creation completes it. The driver looks for new versions every two minutes,
 * and at most every few seconds if configured so.
 */
const completedWithinMs = 5_000;

/** The newest rotation of a class, as a source. */
interface Rotation {
  readonly source: DigestedSource & { readonly writtenAtMs: number };
  /** The time of the newest write that shows it. */
  readonly shownMs: number;
  /** The time of the newest write that shows another one. */
  readonly otherShownMs: number;
}

interface Mounted {
  readonly uid: string;
  readonly className: string;
  readonly content: ContentDigest | undefined;
  readonly writtenAtMs: number | undefined;
}

/**
 * SecretProviderClasses as sources: they change under running pods when the CSI driver rotates the mounted secrets.
 *
 * A class has no content of its own; each pod's status shows what that pod has mounted. What counts is the newest
 * rotation: the newest write after which a status shows other versions. Pods come to show it one after the other, so it
 * is as old as the first write that shows it. A pod that is created or deleted changes nothing, because pods start with
 * the current versions. A class that was never rotated counts as a source that does not exist. So a rotation restarts
 * once, however many pods report it, and the pods that replace those restart nothing again.
 */
export class CsiRotations {
  readonly #options: CsiRotationsOptions;
  readonly #sink: ReflectorSink<SourceRecord>;
  readonly #statuses = new Map<ObjectKey, Mounted>();
  /** How many statuses name a class. */
  readonly #mounts = new Map<ObjectKey, number>();
  readonly #classes = new Map<ObjectKey, CsiClass>();
  readonly #rotations = new Map<ObjectKey, Rotation>();
  /**
   * Classes whose rotation was shown by a list that is not complete yet. The rotation is dated at the end of the list:
   * the pod that showed it first may come last.
   */
  readonly #listing = new Set<ObjectKey>();

  constructor(options: CsiRotationsOptions) {
    this.#options = options;
    this.#sink = options.sources.sink('SecretProviderClass', undefined, () => undefined);
  }

  /** Receives the statuses of a namespace, or of all namespaces. */
  statusSink(namespace: string | undefined, onSynced: () => void): ReflectorSink<CsiPodStatus> {
    return {
      upsert: (status, origin) => {
        const rotated = this.#takeStatus(status, origin);
        if (rotated !== undefined && origin === 'list') this.#listing.add(rotated);
        else if (rotated !== undefined) this.#update(rotated);
      },
      remove: (key, uid) => {
        if (uid === undefined || uid === this.#statuses.get(key)?.uid) this.#forgetStatus(key);
      },
      keys: () => within(this.#statuses.keys(), namespace),
      synced: () => {
        this.#forgetReplaced(namespace);
        for (const key of within(this.#listing, namespace)) {
          this.#listing.delete(key);
          this.#update(key);
        }
        onSynced();
      },
    };
  }

  /** Receives the classes of a namespace, or of all: whether they are ignored and whether they match searches. */
  classSink(namespace: string | undefined, onSynced: () => void): ReflectorSink<CsiClass> {
    return {
      upsert: (csiClass) => {
        const key = objectKey(csiClass.namespace, csiClass.name);
        this.#classes.set(key, csiClass);
        this.#update(key);
      },
      remove: (key) => {
        this.#classes.delete(key);
        this.#forgetRotation(key);
      },
      keys: () => within(this.#classes.keys(), namespace),
      synced: onSynced,
    };
  }

  /** The annotations of a class, rotated or not; undefined: there is none. */
  classOf({ namespace, name }: Pick<CsiClass, 'namespace' | 'name'>): CsiClass | undefined {
    return this.#classes.get(objectKey(namespace, name));
  }

  /** Called when the watches have ended: what the pods have mounted is learned again. */
  forgetStatuses(): void {
    this.#statuses.clear();
    this.#mounts.clear();
  }

  #keepStatus(key: ObjectKey, mounted: Mounted): void {
    const classKey = classKeyOf(key, mounted);
    // First counted, then uncounted under what it named before: the only status of a class must not count as gone.
    this.#mounts.set(classKey, (this.#mounts.get(classKey) ?? 0) + 1);
    const known = this.#statuses.get(key);
    this.#statuses.set(key, mounted);
    if (known) this.#countDown(classKeyOf(key, known));
  }

  #forgetStatus(key: ObjectKey): void {
    const known = this.#statuses.get(key);
    if (this.#statuses.delete(key) && known) this.#countDown(classKeyOf(key, known));
  }

  #countDown(classKey: ObjectKey): void {
    const left = (this.#mounts.get(classKey) ?? 0) - 1;
    if (left > 0) this.#mounts.set(classKey, left);
    else this.#mounts.delete(classKey);
    this.#forgetUnmounted(classKey);
  }

  /**
   * Statuses may name classes that do not exist, or not any more. Their rotations go with the last status: nothing else
   * would ever remove them.
   */
  #forgetUnmounted(classKey: ObjectKey): void {
    if (!this.#mounts.has(classKey) && !this.#classes.has(classKey)) this.#forgetRotation(classKey);
  }

  #forgetRotation(classKey: ObjectKey): void {
    if (this.#rotations.delete(classKey)) this.#sink.remove(classKey);
  }

  /** Returns the key of the class if its source is another one now. */
  #takeStatus(status: CsiPodStatus, origin: 'list' | 'watch'): ObjectKey | undefined {
    const { namespace, name, uid, className, content, createdAtMs } = status;
    const key = objectKey(namespace, name);
    const known = this.#statuses.get(key);
    const before = known?.uid === uid && known.className === className ? known : undefined;
    this.#keepStatus(key, { uid, className, content, writtenAtMs: status.statusWrittenAtMs });
    if (content === undefined || className === '') return undefined;
    const atMs = status.statusWrittenAtMs ?? Math.floor(this.#options.clock.nowMs() / 1000) * 1000;
    // A list may show versions of a status that was seen without any: the first ones, or those of a rotation since.
    const isFirst = before !== undefined && before.content === undefined && origin === 'watch';
    const isRotated = before?.content
      ? !content.equals(before.content) || (origin === 'list' && this.#isRotatedBack(status, content, before))
      : !isFirst && status.statusWrittenAtMs !== undefined && atMs - createdAtMs > completedWithinMs;
    const classKey = objectKey(namespace, className);
    const formerly = this.#rotations.get(classKey);
    const rotation = isRotated ? rotated(formerly, status, content, atMs) : formerly;
    const now = rotation && withFormer(rotation, content);
    if (!now || now === formerly) return undefined;
    this.#rotations.set(classKey, now);
    return now.source === formerly?.source ? undefined : classKey;
  }

  /**
   * Whether a status was rotated and rotated back while no watch saw it: it shows the same versions as before, but was
   * written since. It then counts as it does for a process that starts. A driver does not write a status that lags
   * behind.
   */
  #isRotatedBack(status: CsiPodStatus, content: ContentDigest, before: Mounted): boolean {
    const { namespace, className, createdAtMs, statusWrittenAtMs: writtenAtMs } = status;
    if (writtenAtMs === undefined || writtenAtMs <= (before.writtenAtMs ?? Infinity)) return false;
    const newest = this.#rotations.get(objectKey(namespace, className));
    if (!newest) return writtenAtMs - createdAtMs > completedWithinMs;
    // The newest one is shown for longer than was known: another that the list shows may be from before that.
    return content.equals(newest.source.content) || writtenAtMs > newest.shownMs;
  }

  /**
   * Forgets each rotation that no status shows any more while a later status shows other versions. Another rotation was
   * missed then: no watch was open, and the pods that showed it are gone. To restart workloads for the older rotation
   * would bring nothing, because their pods have mounted what came after it. Forgets the rotations of classes that neither
   * exist nor are named by a status, too: their statuses may have gone while no watch was open.
   */
  #forgetReplaced(namespace: string | undefined): void {
    const replaced = new Set<ObjectKey>();
    const shown = new Set<ObjectKey>();
    for (const key of within(this.#statuses.keys(), namespace)) {
      const mounted = this.#statuses.get(key);
      if (!mounted) continue;
      const { content, writtenAtMs = 0 } = mounted;
      const classKey = classKeyOf(key, mounted);
      const rotation = this.#rotations.get(classKey);
      if (!rotation || !content) continue;
      if (content.equals(rotation.source.content)) shown.add(classKey);
      else if (writtenAtMs > rotation.shownMs) replaced.add(classKey);
    }
    for (const key of replaced) if (!shown.has(key)) this.#forgetRotation(key);
    for (const key of within(this.#rotations.keys(), namespace)) this.#forgetUnmounted(key);
  }

  #update(key: ObjectKey): void {
    const rotation = this.#rotations.get(key);
    if (!rotation || this.#listing.has(key)) return;
    const { ignore, match, gates } = this.#classes.get(key) ?? rotation.source;
    this.#sink.upsert({ ...rotation.source, ignore, match, ...(gates && { gates }) }, 'watch');
  }
}

function classKeyOf(statusKey: ObjectKey, { className }: Mounted): ObjectKey {
  return objectKey(splitObjectKey(statusKey).namespace, className);
}

/** The newest rotation, given the one before and a status that was rotated to `content` at `atMs`. */
function rotated(
  formerly: Rotation | undefined,
  { namespace, className, resourceVersion }: CsiPodStatus,
  content: ContentDigest,
  atMs: number,
): Rotation {
  if (formerly && content.equals(formerly.source.content)) {
    const shownMs = Math.max(formerly.shownMs, atMs);
    const isEarlier = atMs < formerly.source.writtenAtMs && atMs > formerly.otherShownMs;
    return { ...formerly, shownMs, source: isEarlier ? since(formerly.source, atMs) : formerly.source };
  }
  if (formerly && atMs < formerly.shownMs) {
    const otherShownMs = Math.max(formerly.otherShownMs, atMs);
    // This rotation is shown both before and after the other one, so it has happened a second time.
    const isSecond = formerly.source.writtenAtMs <= atMs;
    return {
      ...formerly,
      otherShownMs,
      source: isSecond ? { ...formerly.source, writtenAtMs: formerly.shownMs } : formerly.source,
    };
  }
  const source = {
    kind: 'SecretProviderClass',
    namespace,
    name: className,
    // All rotations of a class have one identity: the statuses that report them are created and deleted.
    uid: objectKey(namespace, className),
    resourceVersion,
    createdAtMs: formerly?.source.createdAtMs ?? atMs,
    writtenAtMs: atMs,
    ...{ ignore: false, match: false, content },
  } as const;
  return { source, shownMs: atMs, otherShownMs: formerly?.shownMs ?? 0 };
}

function since(source: Rotation['source'], atMs: number): Rotation['source'] {
  return { ...source, createdAtMs: Math.min(source.createdAtMs, atMs), writtenAtMs: atMs };
}

/** If the content was digested again under another key, that digest must be recorded from now on. */
function withFormer(rotation: Rotation, content: ContentDigest): Rotation {
  const { source } = rotation;
  if (!content.former || source.content.former || !content.equals(source.content)) return rotation;
  return { ...rotation, source: { ...source, content } };
}

function* within(keys: Iterable<ObjectKey>, namespace: string | undefined): Iterable<ObjectKey> {
  for (const key of keys) if (namespace === undefined || splitObjectKey(key).namespace === namespace) yield key;
}
