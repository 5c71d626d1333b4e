import { BoundedMap } from '../../shared/domain/bounded-map';
import { budgets } from '../../shared/domain/budgets';
import type { ContentDigest } from '../../shared/domain/sources/content-digest';
import { objectKey } from '../../shared/domain/kubernetes/object-key';
import { versionBefore } from '../../shared/domain/kubernetes/resource-version';
import type { DigestedSource, SourceKind } from '../../shared/domain/sources/source';
import { GoneError, isVersionToCome } from '../../shared/kube/errors';
import { watchedSourceKinds, type WatchedSourceKind } from '../watch/list-watches';
import type { SourceIndex } from '../sources/source-index';

export interface SourceName {
  readonly kind: SourceKind;
  readonly name: string;
}

export interface ContentLoaderOptions {
  readonly sources: Pick<SourceIndex, 'countIn' | 'unresolved' | 'learn' | 'learnPast' | 'learnAbsence'>;
  /**
   * What is stored, or was when a version was given out; undefined: no such object. Throws a GoneError where that is too long
   * ago, and other KubeErrors.
   */
  readonly find: (
    kind: WatchedSourceKind,
    namespace: string,
    name: string,
    resourceVersion?: string,
  ) => Promise<DigestedSource | undefined>;
  /** Hands over all sources of a namespace as they are stored. Throws KubeErrors. */
  readonly each: (kind: WatchedSourceKind, namespace: string, take: (source: DigestedSource) => void) => Promise<void>;
  /** What is stored now was read, and no watch tells of it. */
  readonly onRead: (source: DigestedSource) => void;
}

/** Where more of a namespace is asked for, a list of all that it has takes less of the API server than a read of each. */
const maxShareByName = 1 / 8;
const leastByName = 64;

/**
 * Reads what lists have left out: the contents of those sources that a decision rests on. Most sources of a cluster are used by
 * nobody who asked for restarts, and theirs are never sent.
 *
 * What was changed before it was read is read as it was: the API server remembers for some minutes.
 */
export class ContentLoader {
  readonly #options: ContentLoaderOptions;
  readonly #underWay = new Map<string, Promise<void>>();
  /** How many were read by their names since the last list, by kind and namespace; of one that is gone, until others need the room. */
  readonly #byName = new BoundedMap<string, number>({ maxBytes: budgets.readNamespacesBytes });

  constructor(options: ContentLoaderOptions) {
    this.#options = options;
  }

  /** Reads what is unread of sources in a namespace, now and in their past. Throws KubeErrors. */
  async read(namespace: string, sources: readonly SourceName[]): Promise<void> {
    const kinds = watchedSourceKinds.map(async (kind) => {
      const names = sources.filter((source) => source.kind === kind).map(({ name }) => name);
      const unread = names.filter((name) => this.#options.sources.unresolved(kind, namespace, name).now);
      if (this.#isMuch(kind, namespace, unread.length)) {
        await this.#once(`${kind}/${namespace}`, () => this.#readAll(kind, namespace));
      }
      await Promise.all(
        names.map(async (name) => {
          await this.#once(`${kind}/${objectKey(namespace, name)}`, () => this.#read(kind, namespace, name));
        }),
      );
    });
    await Promise.all(kinds);
  }

  /** Whether reads by name of these too would cost more than a list. */
  #isMuch(kind: WatchedSourceKind, namespace: string, names: number): boolean {
    const place = `${kind}/${namespace}`;
    const byName = (this.#byName.get(place) ?? 0) + names;
    const most = Math.max(leastByName, this.#options.sources.countIn(kind, namespace) * maxShareByName);
    if (byName === 0 || byName > most) this.#byName.delete(place);
    else this.#byName.set(place, byName, Buffer.byteLength(place));
    return byName > most;
  }

  /** Whoever asks meanwhile gets the same. */
  async #once(id: string, read: () => Promise<void>): Promise<void> {
    const reading = this.#underWay.get(id) ?? read().finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, reading);
    await reading;
  }

  async #readAll(kind: WatchedSourceKind, namespace: string): Promise<void> {
    const { sources, each } = this.#options;
    await each(kind, namespace, (stored) => {
      const { now } = sources.unresolved(kind, namespace, stored.name);
      // Of any other version, a read by name is to tell.
      if (now?.resourceVersion === stored.resourceVersion) this.#learn(stored);
    });
  }

  async #read(kind: WatchedSourceKind, namespace: string, name: string): Promise<void> {
    const { sources, find } = this.#options;
    const { past, now } = sources.unresolved(kind, namespace, name);
    for (const state of past) {
      // As it was just before it was written again; where that was not seen, as it was written.
      const at = [versionBefore(state.until), state.version];
      sources.learnPast(kind, namespace, name, state, await this.#contentAt(kind, namespace, name, state.version, at));
    }
    if (!now) return;
    const stored = await find(kind, namespace, name);
    // The watch may have moved meanwhile, and what was read be the older of the two.
    const isStillUnread = (): boolean =>
      sources.unresolved(kind, namespace, name).now?.resourceVersion === now.resourceVersion;
    if (!isStillUnread()) return;
    if (stored) {
      this.#learn(stored);
      return;
    }
    // What went is compared with, too, when it comes back.
    const content = await this.#contentAt(kind, namespace, name, now.resourceVersion, [now.resourceVersion]);
    if (!isStillUnread()) return;
    if (content !== 'unknown') sources.learn({ ...now, content });
    sources.learnAbsence(kind, namespace, name);
  }

  #learn(stored: DigestedSource): void {
    this.#options.sources.learn(stored);
    this.#options.onRead(stored);
  }

  /** What an object of a version held, which may be found at these. */
  async #contentAt(
    kind: WatchedSourceKind,
    namespace: string,
    name: string,
    version: string,
    versions: readonly (string | undefined)[],
  ): Promise<ContentDigest | 'unknown'> {
    try {
      for (const at of versions) {
        const found = at === undefined ? undefined : await this.#options.find(kind, namespace, name, at);
        if (found?.resourceVersion === version) return found.content;
      }
    } catch (error) {
      // Of before a restore of etcd: nobody remembers what was undone.
      if (!(error instanceof GoneError) && !isVersionToCome(error)) throw error;
    }
    return 'unknown';
  }
}
