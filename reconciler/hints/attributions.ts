import { BoundedMap } from '../../shared/domain/bounded-map';
import { budgets } from '../../shared/domain/budgets';
import type { Attribution, ChangePath } from '../../shared/domain/plan/attribution';
import { splitSourceKey, type SourceKey } from '../../shared/domain/sources/source';
import type { Clock } from '../../shared/runtime/clock';
import { bytesOfAuthors, firstAuthor, mergedAuthors, noAuthors, type Authors } from './authors';
import { areAllNames, boundedNames, type Hint } from './hint';

/** The content of a source, in the object with this uid. Another object with the same content has its own authors. */
export interface AttributedState {
  readonly uid: string;
  readonly digest: string;
  /** Of the object when it had this content. */
  readonly resourceVersion: string;
}

interface SourceAttributions {
  readonly uid: string;
  current: string;
  /** By digest, oldest first. */
  readonly states: Map<string, KeptState>;
}

interface KeptState {
  readonly attribution: Attribution;
  readonly authors: Authors;
  readonly resourceVersion: string;
  /** The versions that announced writes of this content were to replace; none: a creation, or no version is known. */
  readonly replaced: readonly string[];
  readonly addedMs: number;
}

const keptMs = 10 * 60_000;
export const maxAttributedSources = 4_096;
/**
 * The current state of a source and the previous ones: a restart may still need their authors, because it answers a
 * change of one key, and others were changed since.
 */
const maxStates = 8;
/** How many versions that writes of one state were to replace are kept: after a conflict, a write is reviewed again. */
const maxReplaced = 4;

/** The authors of recent states of sources. The least recently used are evicted first. */
export class Attributions {
  readonly #clock: Clock;
  readonly #sources = new BoundedMap<SourceKey, SourceAttributions>({
    maxBytes: budgets.attributionBytes,
    maxOwnerBytes: budgets.attributionNamespaceBytes,
  });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The number of sources with a remembered author. */
  get size(): number {
    return this.#sources.size;
  }

  /** Whether anything is remembered about a source. */
  has(source: SourceKey): boolean {
    return this.#sources.has(source);
  }

  /**
   * Who put a source into a state. With `keys`, who changed one of them: if that was none of the last authors, it was one
   * before, and if it is not known which, nobody is named.
   */
  get(source: SourceKey, digest: string, keys?: readonly string[]): Attribution | undefined {
    const states = this.#sources.get(source)?.states;
    const kept = this.#fresh(states?.get(digest));
    if (!kept || !keys || mayHaveChanged(kept, keys)) return kept?.attribution;
    const earlier = ledTo([...(states ?? [])], digest).findLast(
      (former) => this.#fresh(former) && mayHaveChanged(former, keys),
    );
    const { path } = kept.attribution;
    return { ...(earlier?.attribution ?? { ...kept.attribution, ...nobody }), path };
  }

  /**
   * A source has a new state. If it returned to an earlier one, or was recreated with it, the author of that one is not
   * the author of this one.
   */
  shown(source: SourceKey, { uid, digest }: AttributedState): void {
    const attributions = this.#sources.get(source);
    if (attributions?.uid !== uid) this.#sources.delete(source);
    if (attributions?.uid !== uid || attributions.current === digest) return;
    // Nobody announced the state that ends now, so any key may be of its author, and not of one before.
    if (!attributions.states.has(attributions.current)) attributions.states.clear();
    attributions.current = digest;
    attributions.states.delete(digest);
  }

  /** Adds to what is known about the current state. `hints` are sorted newest first and may be empty. */
  add(source: SourceKey, state: AttributedState, hints: readonly Hint[], path: ChangePath): void {
    const { uid, digest, resourceVersion } = state;
    const known = this.#sources.get(source);
    const attributions: SourceAttributions = known?.uid === uid ? known : { uid, current: digest, states: new Map() };
    const before = this.#fresh(attributions.states.get(digest));
    const authors = hints.reduce((all, hint) => mergedAuthors(all, hint.authors), before?.authors ?? noAuthors);
    const added = {
      users: authors.named.map(({ user }) => user),
      moreUsers: authors.more,
      firstUser: firstAuthor(authors.named)?.user,
      manager: hints.find(({ manager }) => manager !== undefined)?.manager,
      changedKeys: hints.flatMap(({ changedKeys }) => changedKeys),
      path,
      observedAtMs: hints[0]?.observedAtMs ?? this.#clock.nowMs(),
    };
    const attribution = merged(before?.attribution ?? added, added);
    attributions.current = digest;
    attributions.states.delete(digest);
    const replaced = boundedVersions([...(before?.replaced ?? []), ...hints.map(({ replaces }) => replaces)]);
    const addedMs = this.#clock.monotonicMs();
    attributions.states.set(digest, { attribution, authors, resourceVersion, replaced, addedMs });
    for (const oldest of attributions.states.keys()) {
      if (attributions.states.size <= maxStates) break;
      attributions.states.delete(oldest);
    }
    this.#sources.set(source, attributions, bytesOf(source, attributions), splitSourceKey(source).namespace);
    for (const [oldest] of this.#sources.entries()) {
      if (this.#sources.size <= maxAttributedSources) break;
      this.#sources.delete(oldest);
    }
  }

  #fresh(kept: KeptState | undefined): KeptState | undefined {
    return kept && this.#clock.monotonicMs() - kept.addedMs <= keptMs ? kept : undefined;
  }
}

const nobody = { users: [], moreUsers: 0, firstUser: undefined, manager: undefined } as const;

/**
 * The states that led to this one, oldest first, as far back as none is missing in between: who wrote one that was never
 * shown may have changed any key. If a write was reviewed before the state that it is shown to follow, its last review was
 * not heard, and its keys tell of an earlier state.
 */
function ledTo(states: readonly (readonly [string, KeptState])[], digest: string): readonly KeptState[] {
  const kept = states.map(([, state]) => state);
  const last = states.findIndex(([shown]) => shown === digest);
  const before = kept.slice(0, last);
  const gap = before.findLastIndex(({ resourceVersion }, index) => {
    const { replaced = [] } = kept[index + 1] ?? {};
    return replaced.length > 0 && !replaced.includes(resourceVersion);
  });
  return before.slice(gap + 1);
}

function boundedVersions(versions: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(versions.filter((version) => version !== undefined))].slice(-maxReplaced);
}

/**
 * Whether the author may have changed one of these keys: not all that were changed may be known, and an object that was
 * created may replace one that had the key.
 */
function mayHaveChanged({ attribution: { changedKeys }, replaced }: KeptState, keys: readonly string[]): boolean {
  return replaced.length === 0 || !areAllNames(changedKeys) || changedKeys.some((key) => keys.includes(key));
}

/** Estimated size of a state without its texts. */
const stateBytes = 200;

function bytesOf(source: SourceKey, { uid, states }: SourceAttributions): number {
  let bytes = source.length + uid.length;
  for (const [digest, { attribution, authors, resourceVersion, replaced }] of states) {
    const { manager = '', changedKeys } = attribution;
    const texts = [digest, resourceVersion, ...replaced, manager, ...changedKeys];
    bytes += stateBytes + bytesOfAuthors(authors) + texts.reduce((sum, text) => sum + text.length, 0);
  }
  return bytes;
}

function merged(before: Attribution, added: Attribution): Attribution {
  const [newer, older] = added.observedAtMs >= before.observedAtMs ? [added, before] : [before, added];
  return {
    ...added,
    manager: newer.manager ?? older.manager,
    changedKeys: boundedNames([...newer.changedKeys, ...older.changedKeys]),
    path: before.path,
    observedAtMs: newer.observedAtMs,
  };
}
