import type { SourceKind } from '../../shared/domain/sources/source';
import type { Clock, Timer } from '../../shared/runtime/clock';
import { KindsByPlace } from './kinds-by-place';
import { lastingRefusalMs } from './known-gates';
import type { Watches } from './watches';

export interface KnownKindsOptions {
  readonly clock: Clock;
  readonly watches: Pick<Watches, 'sourcesStanding' | 'knownKinds' | 'listSourcesAgain' | 'listAllAgain'>;
  /** The process may act now, or knows more to act on. */
  readonly onMore: () => void;
}

/** After this, the process acts anyway: what cannot be listed must not block the rest. */
const syncTimeoutMs = 60_000;

/** Tracks which kinds of sources are known, and where, and whether the process may act. */
export class KnownKinds {
  readonly #options: KnownKindsOptions;
  /** Kinds whose watches were complete at the last check. One more makes the engine check every workload. */
  #kinds = new KindsByPlace([]);
  /** True once every watch of sources is complete, or has been refused for a while, or has timed out. */
  #hasSynced = false;
  /**
   * Runs since some sources may not be listed and all others are known. Once it has run out, the next list of a new term
   * need not wait for it again.
   */
  #refusal: { readonly timer: Timer; lasts: boolean } | undefined;
  #isWaiting = true;
  #syncTimeout: Timer | undefined;

  constructor(options: KnownKindsOptions) {
    this.#options = options;
  }

  in(namespace: string): ReadonlySet<SourceKind> {
    return this.#kinds.in(namespace);
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  start(): void {
    this.#startSyncTimeout();
  }

  stop(): void {
    this.#syncTimeout?.cancel();
    this.#endRefusal();
  }

  /** A first list is complete, or a watch was refused. */
  progress(): void {
    const { watches, onMore } = this.#options;
    const hadSynced = this.#hasSynced;
    const isComplete = this.#isComplete();
    this.#hasSynced ||= isComplete || !this.#isWaiting;
    if (!this.#hasSynced) return;
    const known = watches.knownKinds();
    const more = known.size > this.#kinds.size;
    this.#kinds = known;
    if (more || !hadSynced) onMore();
  }

  /** Discards what was learnt and lists all sources again, with `whole` including contents. */
  forget(whole = false): void {
    const { watches } = this.#options;
    if (watches.knownKinds().size === 0) return;
    this.#reset();
    void watches.listSourcesAgain(whole);
  }

  /** etcd was restored: discards what was learnt, and lists everything again. */
  restored(): void {
    this.#reset();
    void this.#options.watches.listAllAgain();
  }

  #isComplete(): boolean {
    const standing = this.#options.watches.sourcesStanding();
    if (standing === 'refused') this.#refusal ??= this.#startRefusal();
    else if (standing === 'known' || this.#refusal?.lasts === false) this.#endRefusal();
    return standing === 'known' || (standing === 'refused' && this.#refusal?.lasts === true);
  }

  #startRefusal(): { readonly timer: Timer; lasts: boolean } {
    const timer = this.#options.clock.timer(lastingRefusalMs, () => {
      if (this.#refusal) this.#refusal.lasts = true;
      this.progress();
    });
    return { timer, lasts: false };
  }

  #endRefusal(): void {
    this.#refusal?.timer.cancel();
    this.#refusal = undefined;
  }

  #reset(): void {
    this.#hasSynced = false;
    if (this.#refusal?.lasts === false) this.#endRefusal();
    this.#kinds = new KindsByPlace([]);
    this.#startSyncTimeout();
  }

  #startSyncTimeout(): void {
    this.#isWaiting = true;
    this.#syncTimeout?.cancel();
    this.#syncTimeout = this.#options.clock.timer(syncTimeoutMs, () => {
      this.#isWaiting = false;
      this.progress();
    });
  }
}
