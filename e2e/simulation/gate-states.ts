import type { WriteRecord } from '../apiserver/store';
import { ownNamespace } from '../engine-settings';
import { gatesOf, type GateAnnotations } from './gate-annotations';
import { isSelectedSource } from './selection';
import type { Rules } from './rules';

/** What an object said from this time on. */
interface State {
  readonly atMs: number;
  /** Undefined: it does not exist, or not for the install. */
  readonly gates: GateAnnotations | undefined;
}

const sourceKinds: readonly string[] = ['ConfigMap', 'Secret', 'SecretProviderClass'];
const holdOfEverything = `ConfigMap ${ownNamespace}/reroll-hold`;

/** What sources, namespaces and the hold of everything said about restarts, at any time, from the server's history. */
export class GateStates {
  readonly #rules: Rules;
  readonly #states = new Map<string, State[]>();
  /** When each object was written. */
  readonly #writtenMs = new Map<string, number[]>();

  constructor(rules: Rules) {
    this.#rules = rules;
  }

  add({ kind, key, type, object, atMs }: WriteRecord): void {
    const isSource = sourceKinds.includes(kind.kind);
    if (!isSource && kind.kind !== 'Namespace') return;
    // Where single namespaces are watched, nobody has a right to see what they say themselves.
    if (kind.kind === 'Namespace' && (this.#rules.scope?.namespaces.length ?? 0) > 0) return;
    const name = `${kind.kind} ${key}`;
    this.#writtenMs.set(name, [...(this.#writtenMs.get(name) ?? []), atMs]);
    const isThere =
      type !== 'DELETED' && (!isSource || name === holdOfEverything || isSelectedSource(object, this.#rules));
    const states = this.#states.get(name) ?? [];
    const gates = isThere ? gatesOf(object) : undefined;
    if (JSON.stringify(states.at(-1)?.gates) === JSON.stringify(gates)) return;
    this.#states.set(name, [...states, { atMs, gates }]);
  }

  /** All that the object said at some time of these: a process that is behind may know any of it. */
  between(name: string, fromMs: number, toMs: number): readonly (GateAnnotations | undefined)[] {
    const states = this.#states.get(name) ?? [];
    const first = states.findLastIndex(({ atMs }) => atMs <= fromMs);
    const later = states.filter(({ atMs }, index) => index > first && atMs <= toMs);
    return [states[first]?.gates, ...later.map(({ gates }) => gates)];
  }

  /** All that the hold of everything said at some time of these. */
  ofEverything(fromMs: number, toMs: number): readonly (GateAnnotations | undefined)[] {
    return this.between(holdOfEverything, fromMs, toMs);
  }

  /** When one of these objects, or the hold of everything, was last written before this time. */
  lastWrittenMs(names: readonly string[], beforeMs: number): number {
    const writes = [holdOfEverything, ...names].flatMap((name) => this.#writtenMs.get(name) ?? []);
    return Math.max(0, ...writes.filter((atMs) => atMs <= beforeMs));
  }
}
