import type { Clock } from '../../shared/runtime/clock';
import { boundedNames, type Hint } from './hint';

/**
 * Which way a change came: the webhook announced it and a read of our own showed it, the watch showed it unannounced, or
 * the webhook announced what the watch showed.
 */
export type ChangePath = 'webhook' | 'watch' | 'both';

/** Who put a source into a state, as the webhook saw it: for Events and logs, never a reason to act. */
export interface Attribution {
  /** Newest first; several where several wrote the same. */
  readonly users: readonly string[];
  readonly manager: string | undefined;
  readonly changedKeys: readonly string[];
  readonly path: ChangePath;
  /** By the webhook's wall clock. */
  readonly observedAtMs: number;
}

interface SourceAttributions {
  current: string;
  /** By digest, oldest first. */
  readonly states: Map<string, { readonly attribution: Attribution; readonly addedMs: number }>;
}

const keptMs = 10 * 60_000;
export const maxAttributedSources = 4_096;
/** The state that a source is in, and the one before: a restart for that may still be on its way to its Event. */
const maxStates = 2;
const maxUsers = 5;

/** Who made the recent states of sources; what is used least is forgotten first. */
export class Attributions {
  readonly #clock: Clock;
  /** Least recently used first. */
  readonly #sources = new Map<string, SourceAttributions>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sources of which anything is remembered. */
  get size(): number {
    return this.#sources.size;
  }

  /** Whether anything is remembered of a source. */
  has(source: string): boolean {
    return this.#sources.has(source);
  }

  get(source: string, digest: string): Attribution | undefined {
    const kept = this.#sources.get(source)?.states.get(digest);
    return kept && this.#clock.monotonicMs() - kept.addedMs <= keptMs ? kept.attribution : undefined;
  }

  /** A source has come into a state. Back in a former one, its former author is not the author of the return. */
  shown(source: string, digest: string): void {
    const attributions = this.#sources.get(source);
    if (!attributions || attributions.current === digest) return;
    attributions.current = digest;
    attributions.states.delete(digest);
  }

  /** Adds to what is known of a state; `hints` come newest first, and there may be none. */
  add(source: string, digest: string, hints: readonly Hint[], path: ChangePath): void {
    const before = this.get(source, digest);
    const added = {
      users: hints.map(({ user }) => user),
      manager: hints.find(({ manager }) => manager !== undefined)?.manager,
      changedKeys: hints.flatMap(({ changedKeys }) => changedKeys),
      path,
      observedAtMs: hints[0]?.observedAtMs ?? this.#clock.nowMs(),
    };
    const attribution = before ? merged(before, added) : merged(added, added);
    const attributions = this.#touch(source, digest);
    attributions.states.delete(digest);
    attributions.states.set(digest, { attribution, addedMs: this.#clock.monotonicMs() });
    dropOldest(attributions.states, maxStates);
  }

  #touch(source: string, digest: string): SourceAttributions {
    const attributions: SourceAttributions = this.#sources.get(source) ?? { current: digest, states: new Map() };
    this.#sources.delete(source);
    this.#sources.set(source, attributions);
    dropOldest(this.#sources, maxAttributedSources);
    return attributions;
  }
}

function merged(before: Attribution, added: Attribution): Attribution {
  const [newer, older] = added.observedAtMs >= before.observedAtMs ? [added, before] : [before, added];
  return {
    users: [...new Set([...newer.users, ...older.users])].slice(0, maxUsers),
    manager: newer.manager ?? older.manager,
    changedKeys: boundedNames([...newer.changedKeys, ...older.changedKeys]),
    path: before.path,
    observedAtMs: newer.observedAtMs,
  };
}

function dropOldest(map: Map<string, unknown>, max: number): void {
  for (const key of map.keys()) {
    if (map.size <= max) return;
    map.delete(key);
  }
}
