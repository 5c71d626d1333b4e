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

interface Mounted {
  readonly uid: string;
  readonly className: string;
  readonly content: ContentDigest | undefined;
}

/**
 * SecretProviderClasses as sources: they change under running pods when the CSI driver rotates the mounted secrets.
 *
 * A class has no content of its own; each pod's status shows what that pod has mounted. What counts is the newest
 * rotation: the newest write after which a status shows other versions. A pod that is created or deleted changes
 * nothing, because pods start with the current versions, and a class that was never rotated is a source that does not
 * exist. So a rotation restarts once, however many pods report it, and the pods that replace those restart nothing
 * again.
 */
export class CsiRotations {
  readonly #options: CsiRotationsOptions;
  readonly #sink: ReflectorSink<SourceRecord>;
  readonly #statuses = new Map<ObjectKey, Mounted>();
  readonly #classes = new Map<ObjectKey, CsiClass>();
  /** The newest rotation of each class. */
  readonly #rotations = new Map<ObjectKey, DigestedSource>();

  constructor(options: CsiRotationsOptions) {
    this.#options = options;
    this.#sink = options.sources.sink('SecretProviderClass', undefined, () => undefined);
  }

  /** Receives the statuses of a namespace, or of all namespaces. */
  statusSink(namespace: string | undefined, onSynced: () => void): ReflectorSink<CsiPodStatus> {
    return {
      upsert: (status, origin) => this.#takeStatus(status, origin),
      remove: (key, uid) => {
        if (uid === undefined || uid === this.#statuses.get(key)?.uid) this.#statuses.delete(key);
      },
      keys: () => within(this.#statuses.keys(), namespace),
      synced: onSynced,
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
        if (this.#rotations.delete(key)) this.#sink.remove(key);
      },
      keys: () => within(this.#classes.keys(), namespace),
      synced: onSynced,
    };
  }

  /** The watches have ended, so what the pods have mounted is learnt again. */
  forgetStatuses(): void {
    this.#statuses.clear();
  }

  #takeStatus(status: CsiPodStatus, origin: 'list' | 'watch'): void {
    const { namespace, name, uid, resourceVersion, className, content, createdAtMs } = status;
    const key = objectKey(namespace, name);
    const known = this.#statuses.get(key);
    const before = known?.uid === uid && known.className === className ? known : undefined;
    this.#statuses.set(key, { uid, className, content });
    if (content === undefined || className === '') return;
    const atMs = status.statusWrittenAtMs ?? Math.floor(this.#options.clock.nowMs() / 1000) * 1000;
    // A list may show versions for a status that was seen without: the first ones, or those of a rotation since.
    const isFirst = before !== undefined && before.content === undefined && origin === 'watch';
    const isRotated = before?.content
      ? !content.equals(before.content)
      : !isFirst && status.statusWrittenAtMs !== undefined && atMs - createdAtMs > completedWithinMs;
    const classKey = objectKey(namespace, className);
    const newest = this.#rotations.get(classKey);
    const newestMs = newest?.writtenAtMs ?? 0;
    // The content was digested again under another key. From now on, that digest must be recorded.
    if (newest && content.former && !newest.content.former && content.equals(newest.content)) {
      this.#rotations.set(classKey, { ...newest, content });
      this.#update(classKey);
    }
    if (!isRotated || atMs < newestMs) return;
    this.#rotations.set(classKey, {
      kind: 'SecretProviderClass',
      namespace,
      name: className,
      // One identity from the first rotation on: the statuses that report it are created and deleted.
      uid: classKey,
      resourceVersion,
      createdAtMs: newest?.createdAtMs ?? atMs,
      writtenAtMs: atMs,
      ...{ ignore: false, match: false, content },
    });
    this.#update(classKey);
  }

  #update(key: ObjectKey): void {
    const rotation = this.#rotations.get(key);
    if (!rotation) return;
    const { ignore, match } = this.#classes.get(key) ?? rotation;
    this.#sink.upsert({ ...rotation, ignore, match }, 'watch');
  }
}

function* within(keys: Iterable<ObjectKey>, namespace: string | undefined): Iterable<ObjectKey> {
  for (const key of keys) if (namespace === undefined || splitObjectKey(key).namespace === namespace) yield key;
}
