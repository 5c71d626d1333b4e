import { BoundedMap } from '../../shared/domain/bounded-map';
import { budgets } from '../../shared/domain/budgets';
import { sourceKey, type SourceKey, type SourceRef } from '../../shared/domain/sources/source';
import type { Clock } from '../../shared/runtime/clock';
import { bytesOfStates, newestStates, unknownOf } from './previous-states';
import { withoutPast, type PreviousState } from './source-entry';
import type { SourceStore } from './source-store';

/** One watch may lag behind another for as long as this. Older states are not needed. */
const retentionMs = 10 * 60_000;

const limits = { maxBytes: budgets.formerBytes, maxOwnerBytes: budgets.formerNamespaceBytes };

/** How long, and within which budgets, the store keeps the previous states of sources. */
export class StateRetention {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #store: SourceStore;
  /** Sources with a past, oldest first: the first ones are forgotten first. */
  readonly #withPast = new BoundedMap<SourceKey, SourceRef>(limits, (key, source) => this.#forgetContents(key, source));
  /** Sources whose past contents were evicted by others: only their existence is known. Oldest first, too. */
  readonly #withUnknownPast = new BoundedMap<SourceKey, SourceRef>(limits, (_key, source) => this.#forgetPast(source));

  constructor(clock: Pick<Clock, 'monotonicMs'>, store: SourceStore) {
    this.#clock = clock;
    this.#store = store;
  }

  /** As many of the states as fit the budget. States of other sources of the namespace may be evicted. */
  retained({ kind, namespace, name }: SourceRef, states: readonly PreviousState[]): readonly PreviousState[] {
    if (states.length === 0) return states;
    const former = newestStates(states);
    const key = sourceKey({ kind, namespace, name });
    this.#withUnknownPast.delete(key);
    this.#withPast.set(key, { kind, namespace, name }, bytesOfStates(former), namespace);
    return former;
  }

  /** Forgets the states that are older than any decision needs. */
  expire(): void {
    const oldestMs = this.#clock.monotonicMs() - retentionMs;
    for (const sources of [this.#withPast, this.#withUnknownPast]) this.#expireThose(sources, oldestMs);
  }

  #expireThose(sources: BoundedMap<SourceKey, SourceRef>, oldestMs: number): void {
    for (const [key, source] of sources.entries()) {
      const newest = this.#store.get(source)?.former.at(-1);
      if (newest && newest.observedMs >= oldestMs) return;
      sources.delete(key);
      this.#forgetPast(source);
    }
  }

  /** Replaces the past contents with an unknown one: a comparison with them is then in doubt. */
  #forgetContents(key: SourceKey, source: SourceRef): void {
    const entry = this.#store.get(source);
    if (!entry) return;
    const former = unknownOf(entry.former);
    this.#store.set(source, { ...entry, former });
    this.#withUnknownPast.set(key, source, bytesOfStates(former), source.namespace);
  }

  #forgetPast(source: SourceRef): void {
    const entry = this.#store.get(source);
    if (entry?.record) this.#store.set(source, withoutPast(entry));
    else this.#store.delete(source);
  }
}
