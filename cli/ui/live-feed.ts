import { isAborted, sleep, type Clock } from '../../shared/runtime/clock';
import type { Reading } from './live-reading';
import {
  historyKeyOf,
  keyOf,
  type HistoryEntry,
  type LiveMessage,
  type Standing,
  type WorkloadRow,
} from './model/live-message';
import { VersionedItems } from './versioned-items';

export interface LiveFeedOptions {
  readonly clock: Clock;
  readonly read: () => Promise<Reading>;
  /** The one namespace that is read; undefined: all. */
  readonly namespace: string | undefined;
}

/** How far a page has been told. */
export interface Told {
  readonly rows: number;
  readonly history: number;
  readonly standing: Standing | undefined;
}

export const toldNothing: Told = { rows: -1, history: -1, standing: undefined };

/** A change is to be seen within a second, and most of that is for the way. */
const pauseMs = 400;

/** Listing all objects costs the API server more than a question costs the leader. */
const objectsPauseMs = 10_000;
const lostPauseMs = 2_000;

/**
 * What all open pages show. One loop reads it for all of them, and none runs while nobody looks. A page is told what has
 * changed since it was told last.
 */
export class LiveFeed {
  readonly #options: LiveFeedOptions;
  readonly #rows = new VersionedItems<WorkloadRow>(keyOf);
  readonly #history = new VersionedItems<HistoryEntry>(historyKeyOf);
  readonly #listeners = new Set<() => void>();
  #standing: Standing = { from: 'asking', missing: [], hasHistory: false };
  #loop = new AbortController();

  constructor(options: LiveFeedOptions) {
    this.#options = options;
  }

  /** Calls back when there may be something to tell. The first reader starts the loop, and the last ends it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) {
      this.#loop = new AbortController();
      void this.#run(this.#loop.signal);
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#loop.abort();
    };
  }

  /** What a page has to be told, and how far it is told then; undefined: nothing is new. */
  news(told: Told): { readonly message: LiveMessage; readonly told: Told } | undefined {
    const rows = this.#rows.version === 0 ? undefined : this.#rows.since(told.rows);
    const history = this.#history.version === 0 ? undefined : this.#history.since(told.history);
    if (!rows && !history && told.standing === this.#standing) return undefined;
    return {
      message: { ...this.alive(), ...(rows && { rows }), ...(history && { history }) },
      told: {
        rows: rows ? this.#rows.version : told.rows,
        history: history ? this.#history.version : told.history,
        standing: this.#standing,
      },
    };
  }

  /** A message that changes nothing. */
  alive(): LiveMessage {
    const { namespace } = this.#options;
    return { standing: this.#standing, ...(namespace !== undefined && { namespace }) };
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, read } = this.#options;
    while (!isAborted(signal)) {
      const beganMs = clock.monotonicMs();
      const reading = await read();
      // Somebody else may look by now, with a loop of their own.
      if (isAborted(signal)) return;
      this.#take(reading);
      await sleep(clock, pauseAfter(reading, clock.monotonicMs() - beganMs), signal);
    }
  }

  #take({ standing, found }: Reading): void {
    const isSame = JSON.stringify(standing) === JSON.stringify(this.#standing);
    if (!isSame) this.#standing = standing;
    const isChanged = found ? [this.#rows.replace(found.rows), this.#history.replace(found.history)] : [];
    if (!isSame || isChanged.includes(true)) for (const listener of this.#listeners) listener();
  }
}

function pauseAfter({ standing }: Reading, tookMs: number): number {
  const leastMs = { leader: pauseMs, objects: objectsPauseMs, lost: lostPauseMs, asking: pauseMs }[standing.from];
  // A cluster that takes long to answer is asked half of the time at most.
  return Math.max(leastMs, tookMs);
}
