import { gateAnnotations } from '../../shared/domain/annotations/annotations';
import { formatRolledBack, withRolledBack } from '../../shared/domain/gate-settings/rolled-back';
import {
  contentFieldsOf,
  contentPatch,
  keyChanges,
  type KeyChanges,
} from '../../shared/domain/rollback/content-fields';
import type { KeptContent, KeptNote } from '../../shared/domain/rollback/kept-object';
import { whyNotRestorable } from '../../shared/domain/rollback/restorable';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import { sourceKey, type DigestedSource, type SourceKey, type SourceRef } from '../../shared/domain/sources/source';
import type { KubeClient } from '../../shared/kube/client/client';
import { patchObject, type KubeObject } from '../../shared/kube/client/objects';
import { journalKey } from '../../shared/kube/secrets/install-keys';
import { sourceResources } from '../../shared/kube/sources/source-decoder';
import type { Clock } from '../../shared/runtime/clock';
import { mayBeStored } from '../apply/may-be-stored';
import type { WorkloadIndex } from '../workloads/workload-index';
import type { KeptStore } from './kept-store';
import { RollbackRefusedError } from './rollback-refused-error';
import { isAsShown, type KeptSource, type StoredSources, type StoredSource } from './stored-source';

export interface PutBacksOptions {
  readonly client: KubeClient;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly workloads: Pick<WorkloadIndex, 'usersOf'>;
  readonly contents: Pick<StoredSources, 'read' | 'with'>;
  readonly store: Pick<KeptStore, 'read' | 'write' | 'note'>;
  /** Whether a restart for the source is owed to the workload, or may be. */
  readonly owes: (workload: TrackedWorkload, source: SourceRef) => boolean;
  /** Whether the workload has another content, or may have. Single pods that have started for other reasons do not count. */
  readonly hasOther: (workload: TrackedWorkload, content: DigestedSource) => boolean;
  /** Throws a NotLeadingError unless this process leads. */
  readonly assertLeading: () => void;
}

/** A content that broke those that restarted first for it. */
export interface BadContent {
  readonly source: KeptSource;
  /** The id of the change that brought it. */
  readonly change: string;
  /** Whether its other users still wait because of it. */
  readonly isStopped: () => boolean;
}

/** What was put back instead. */
export interface PutBack {
  readonly kept: KeptNote;
  readonly keys: KeyChanges;
}

interface Attempt {
  readonly version: string;
  readonly mayBeStored: boolean;
  /** What it puts back, if it got no answer. */
  readonly putBack?: PutBack;
}

/**
 * Puts the last content back with which all users of a source were healthy, once for each bad content.
 *
 *     keep a copy of the bad content, with the version of the source that has it
 *       └─▶ one patch of that version: the content, and the id of the bad change in an annotation
 *
 * A crash before the patch is followed by another attempt, because the source still has that version. Once the patch is
 * stored, the source has a new resourceVersion. If somebody writes the bad content again, its version differs from the
 * one in the copy. So Reroll does not put the content back a second time, even if the annotation is lost.
 */
export class PutBacks {
  readonly #options: PutBacksOptions;
  /** Of each source, the last version whose copy tells of an attempt that is not known to have succeeded. */
  readonly #attempts = new Map<SourceKey, Attempt>();

  constructor(options: PutBacksOptions) {
    this.#options = options;
  }

  /**
   * Undefined: there is nothing to put back any more.
   * @throws RollbackRefusedError, NameTakenError, KubeErrors, NotLeadingError
   */
  async putBack(bad: BadContent): Promise<PutBack | undefined> {
    const { contents } = this.#options;
    const stored = await contents.read(bad.source);
    if (!stored || !isAsShown(stored, bad.source)) return undefined;
    // The watch is about to show that its gate is closed.
    if (stored.record.gates?.rolledBack?.includes(bad.change) === true) return undefined;
    const why = whyNotRestorable(stored.object);
    if (why !== undefined) throw new RollbackRefusedError('NOT_RESTORABLE', `it ${why}`);
    const good = await this.#good(bad, stored);
    const rolledBack = await this.#attempt(bad, stored, good);
    if (!bad.isStopped()) {
      this.#notStored(bad.source, stored.object);
      return undefined;
    }
    const putBack = { kept: good.note, keys: keyChanges(contentFieldsOf(stored.object), good.fields) };
    await this.#patch(bad, stored, good, rolledBack, putBack);
    return putBack;
  }

  /** What was put back by an attempt that got no answer, now that the source tells of it. Returned once. */
  takeUnanswered(source: SourceKey): PutBack | undefined {
    const putBack = this.#attempts.get(source)?.putBack;
    if (putBack) this.#attempts.delete(source);
    return putBack;
  }

  forget(source: SourceKey): void {
    this.#attempts.delete(source);
  }

  clear(): void {
    this.#attempts.clear();
  }

  /** An attempt is known not to be stored. An earlier one for the same version that got no answer may still come. */
  #notStored(source: SourceRef, { metadata: { resourceVersion: version } }: KubeObject): void {
    const former = this.#attempts.get(sourceKey(source));
    if (former?.version !== version) this.#attempts.set(sourceKey(source), { version, mayBeStored: false });
  }

  /** The content that was kept, if it is the one that all others still have. */
  async #good({ source }: BadContent, stored: StoredSource): Promise<KeptContent> {
    const { store, contents, owes, hasOther, workloads } = this.#options;
    const kept = await store.read('good', stored.kind, stored.object);
    if (kept === 'absent') {
      throw new RollbackRefusedError(
        'NOTHING_KEPT',
        'no earlier content is kept with which all its users were healthy',
      );
    }
    if (kept === 'not-trusted') {
      throw new RollbackRefusedError(
        'KEPT_NOT_TRUSTED',
        'Reroll cannot verify the copy beside it: somebody else wrote or changed it, or the key in Secret ' +
          `${journalKey.secretName} was replaced`,
      );
    }
    const instead = contents.with(stored, kept.fields);
    if (instead.content.equals(source.content)) {
      throw new RollbackRefusedError('KEPT_IS_SAME', 'all its users were healthy with this content before');
    }
    const others = workloads.usersOf(source).filter((user) => owes(user, source));
    if (others.some((user) => hasOther(user, instead))) {
      throw new RollbackRefusedError(
        'KEPT_IS_OLDER',
        'the content that is kept is older than what its other users have',
      );
    }
    return kept;
  }

  /** Notes that this version of the source is about to be patched. Returns the ids for its annotation. */
  async #attempt({ change }: BadContent, stored: StoredSource, good: KeptContent): Promise<readonly string[]> {
    const { store, clock } = this.#options;
    const { kind, object, record } = stored;
    const { resourceVersion: version } = object.metadata;
    const found = await store.read('bad', kind, object);
    const former = typeof found === 'object' ? found : undefined;
    const known = [...(record.gates?.rolledBack ?? []), ...(former?.note.rolledBack ?? [])];
    // What has proved itself since is noted no longer: the next put-back would bring it into the annotation again.
    const rolledBack = withRolledBack(known, change).filter((id) => id !== good.note.change);
    const note: KeptNote = { change, at: new Date(clock.nowMs()).toISOString(), version, rolledBack };
    if (former?.note.change === change) {
      if (former.note.version === version) return rolledBack;
      const attempt = this.#attempts.get(sourceKey(record));
      if (attempt && attempt.version === former.note.version && !attempt.mayBeStored) {
        await store.note('bad', kind, object, former, note);
        return rolledBack;
      }
    }
    if (known.includes(change)) {
      throw new RollbackRefusedError('ROLLED_BACK_BEFORE', 'this content was put back before, and is there again');
    }
    await store.write('bad', kind, object, note);
    return rolledBack;
  }

  async #patch(
    { source, change }: BadContent,
    { kind, object }: StoredSource,
    good: KeptContent,
    rolledBack: readonly string[],
    putBack: PutBack,
  ): Promise<void> {
    const { client, contents, assertLeading } = this.#options;
    const { namespace, name } = source;
    const patch = restorePatch(object, good, rolledBack);
    assertLeading();
    try {
      await patchObject(client, sourceResources[kind], namespace, name, patch, { type: 'merge' });
    } catch (error) {
      if (!mayBeStored(error)) {
        this.#notStored(source, object);
        throw error;
      }
      this.#attempts.set(sourceKey(source), { version: object.metadata.resourceVersion, mayBeStored: true, putBack });
      const now = await contents.read(source).catch(() => undefined);
      if (now?.record.gates?.rolledBack?.includes(change) !== true) throw error;
    }
    this.#attempts.delete(sourceKey(source));
  }
}

/** Of the version that was read, and no other. Labels and the annotations of others are left alone. */
function restorePatch(object: KubeObject, good: KeptContent, rolledBack: readonly string[]): object {
  const { uid, resourceVersion } = object.metadata;
  const annotations = { [gateAnnotations.rolledBack]: formatRolledBack(rolledBack, good.note.change) };
  return { metadata: { uid, resourceVersion, annotations }, ...contentPatch(contentFieldsOf(object), good.fields) };
}
