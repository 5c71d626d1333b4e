import { sameGateSettings, type GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import { objectKey, splitObjectKey } from '../../shared/domain/kubernetes/object-key';
import type { ReflectorSink } from '../../shared/kube/list-watch/reflector';
import type { NamespaceRecord } from '../workloads/namespace-record';

/** A namespace says something else than before; undefined: nothing. */
export interface NamespaceGatesChange {
  readonly namespace: string;
  readonly before: GateSettings | undefined;
  readonly after: GateSettings | undefined;
}

/** When workloads of a namespace may be restarted, as annotations of the namespace say. */
export class NamespaceGates {
  readonly #settings = new Map<string, GateSettings>();
  readonly #onChange: (change: NamespaceGatesChange) => void;

  constructor(onChange: (change: NamespaceGatesChange) => void) {
    this.#onChange = onChange;
  }

  of(namespace: string): GateSettings | undefined {
    return this.#settings.get(namespace);
  }

  /** Receives all namespaces. */
  sink(onSynced: () => void): ReflectorSink<NamespaceRecord> {
    return {
      upsert: ({ name, gates }) => this.#take(name, gates),
      remove: (key) => this.#take(splitObjectKey(key).name, undefined),
      keys: () => [...this.#settings.keys()].map((name) => objectKey('', name)),
      synced: onSynced,
    };
  }

  #take(namespace: string, after: GateSettings | undefined): void {
    const before = this.#settings.get(namespace);
    if (after) this.#settings.set(namespace, after);
    else this.#settings.delete(namespace);
    if (!sameGateSettings(before, after)) this.#onChange({ namespace, before, after });
  }
}
