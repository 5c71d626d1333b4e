import { BoundedMap } from '../../shared/domain/bounded-map';
import { budgets } from '../../shared/domain/budgets';
import type { ContentDigest } from '../../shared/domain/sources/content-digest';
import { versionBefore } from '../../shared/domain/kubernetes/resource-version';
import {
  sourceKey,
  type DigestedSource,
  type LocalSourceRef,
  type SourceRef,
} from '../../shared/domain/sources/source';
import { ForbiddenError, GoneError, ServerError } from '../../shared/kube/errors';
import { watchedSourceKinds, type WatchedSourceKind } from '../watch/list-watches';
import type { SourceIndex } from '../sources/source-index';

export interface ContentLoaderOptions {
  readonly sources: Pick<SourceIndex, 'countIn' | 'unresolved' | 'learn' | 'learnPast' | 'learnAbsence'>;
  /**
   * The source as stored now, or at a resourceVersion; undefined: no such object. Throws a GoneError if the version is
   * too old, and other KubeErrors.
   */
  readonly find: (
    source: SourceRef<WatchedSourceKind>,
    resourceVersion?: string,
  ) => Promise<DigestedSource | undefined>;
  /** Passes all stored sources of a namespace to `take`. Throws KubeErrors. */
  readonly each: (kind: WatchedSourceKind, namespace: string, take: (source: DigestedSource) => void) => Promise<void>;
  /** Whether the kind may not be listed in that namespace. Then it is only read by name, and no past version of it. */
  readonly isRefused: (source: SourceRef) => boolean;
  /** Called when the current state was read, which no watch event reports. */
  readonly onRead: (source: DigestedSource) => void;
}

/** If more of a namespace is needed, one list costs the API server less than a read of each source. */
const maxShareByName = 1 / 8;
const leastByName = 64;

/**
 * Reads what lists have left out: the contents of those sources that a decision depends on. Most sources of a cluster
 * are used by no workload that asks for restarts, and their contents are never sent.
 *
 * If a source was changed before it was read, its past version is read: the API server keeps it for some minutes.
 */
export class ContentLoader {
  readonly #options: ContentLoaderOptions;
  readonly #underWay = new Map<string, Promise<void>>();
  /**
   * How many sources were read by name since the last list, by kind and namespace. Entries of deleted namespaces stay
   * until others need the room.
   */
  readonly #byName = new BoundedMap<string, number>({ maxBytes: budgets.readNamespacesBytes });

  /** Incremented when all earlier reads become invalid. */
  #generation = 0;

  constructor(options: ContentLoaderOptions) {
    this.#options = options;
  }

  /** Reads the missing contents of sources in a namespace, current and past. Throws KubeErrors. */
  async read(namespace: string, sources: readonly LocalSourceRef[]): Promise<void> {
    const kinds = watchedSourceKinds.map(async (kind) => {
      const wanted = sources.filter((source) => source.kind === kind).map(({ name }) => ({ kind, namespace, name }));
      const missing = wanted.filter((source) => this.#options.sources.unresolved(source).now);
      if (this.#isMuch(kind, namespace, missing.length)) {
        await this.#once(`${kind}/${namespace}`, () => this.#readAll(kind, namespace));
      }
      await Promise.all(
        wanted.map(async (source) => {
          await this.#once(sourceKey(source), () => this.#read(source));
        }),
      );
    });
    await Promise.all(kinds);
  }

  /** etcd was restored: what is being read may be undone, and its version given to another state. */
  readAnew(): void {
    this.#generation++;
    this.#underWay.clear();
  }

  /** Whether a list costs less than reading these by name, too. */
  #isMuch(kind: WatchedSourceKind, namespace: string, names: number): boolean {
    const place = `${kind}/${namespace}`;
    const byName = (this.#byName.get(place) ?? 0) + names;
    const most = Math.max(leastByName, this.#options.sources.countIn(kind, namespace) * maxShareByName);
    if (byName === 0 || byName > most) this.#byName.delete(place);
    else this.#byName.set(place, byName, Buffer.byteLength(place));
    return byName > most;
  }

  /** Concurrent callers share one read. */
  async #once(id: string, read: () => Promise<void>): Promise<void> {
    const reading = this.#underWay.get(id) ?? read();
    this.#underWay.set(id, reading);
    try {
      await reading;
    } finally {
      if (this.#underWay.get(id) === reading) this.#underWay.delete(id);
    }
  }

  async #readAll(kind: WatchedSourceKind, namespace: string): Promise<void> {
    const { sources, each } = this.#options;
    const generation = this.#generation;
    await each(kind, namespace, (stored) => {
      if (generation !== this.#generation) return;
      const { now } = sources.unresolved(stored);
      // Any other version is read by name.
      if (now?.resourceVersion === stored.resourceVersion) this.#learn(stored);
    });
  }

  async #read(source: SourceRef<WatchedSourceKind>): Promise<void> {
    const { sources, find } = this.#options;
    const generation = this.#generation;
    const { past, now } = sources.unresolved(source);
    for (const state of past) {
      // The version just before the next write; if that was not seen, the version that was written.
      const at = [versionBefore(state.until), state.version];
      const content = await this.#contentAt(source, state.version, at);
      if (generation !== this.#generation) return;
      sources.learnPast(source, state, content);
    }
    if (!now) return;
    const stored = await find(source);
    // The watch may have moved meanwhile, and the read may be older.
    const isStillMissing = (): boolean =>
      generation === this.#generation && sources.unresolved(source).now?.resourceVersion === now.resourceVersion;
    if (!isStillMissing()) return;
    if (stored) {
      this.#learn(stored);
      return;
    }
    // The content of a deleted source is needed for a comparison when it comes back.
    const content = await this.#contentAt(source, now.resourceVersion, [now.resourceVersion]);
    if (!isStillMissing()) return;
    if (content !== 'unknown') sources.learn({ ...now, content });
    sources.learnAbsence(source);
  }

  #learn(stored: DigestedSource): void {
    this.#options.sources.learn(stored);
    this.#options.onRead(stored);
  }

  /** The content of the object at `version`, looked up at each of `versions`. */
  async #contentAt(
    source: SourceRef<WatchedSourceKind>,
    version: string,
    versions: readonly (string | undefined)[],
  ): Promise<ContentDigest | 'unknown'> {
    try {
      for (const at of versions) {
        const found = at === undefined ? undefined : await this.#options.find(source, at);
        if (found?.resourceVersion === version) return found.content;
      }
    } catch (error) {
      // A version from before a restore of etcd can no longer be read.
      const isToCome = error instanceof ServerError && error.isOfVersionToCome;
      const isRefused = error instanceof ForbiddenError && this.#options.isRefused(source);
      if (!(error instanceof GoneError) && !isToCome && !isRefused) throw error;
    }
    return 'unknown';
  }
}
