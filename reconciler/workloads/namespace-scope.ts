import { objectKey, splitObjectKey, type ObjectKey } from '../../shared/domain/kubernetes/object-key';
import { isOlderVersion } from '../../shared/domain/kubernetes/resource-version';
import type { Selector } from '../../shared/domain/kubernetes/selector';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import type { WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import type { ReflectorSink } from '../../shared/kube/list-watch/reflector';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/log/logger';
import { beforeNextWriteMs, wholeSecond, writeTimeMs } from '../sources/write-time';
import type { NamespaceRecord } from './namespace-record';
import { withRestartsDisabled } from '../../shared/domain/workloads/restarts-disabled';

export interface NamespaceScopeOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly selector: Selector;
  /** Forgets the workloads of a namespace and returns what was known about them. */
  readonly forget: (namespace: string) => readonly WorkloadRecord[];
}

interface Selected {
  /** See {@link NamespaceScope.selectedSinceMs}. */
  readonly sinceMs: number;
  /** The version of the namespace when it became selected. */
  readonly version: string;
  /** The time of its last write. */
  readonly writtenAtMs: number;
}

type WorkloadSink = ReflectorSink<WorkloadRecord>;

/**
 * Workloads of one kind in namespaces that are not selected, by namespace, and the sink that gets them when it is
 * selected.
 */
interface Gate {
  readonly sink: WorkloadSink;
  readonly held: Map<string, Map<ObjectKey, WorkloadRecord>>;
}

/**
 * Knows which namespaces the selector selects now, and filters the workloads in front of their index. A workload in a
 * namespace that is not selected is held here, so that a later label needs no new list. Sources pass, whatever their
 * namespace: workloads are compared with what their sources were when the label was added.
 */
export class NamespaceScope {
  readonly #options: NamespaceScopeOptions;
  readonly #selected = new Map<string, Selected>();
  /** Namespaces that are not selected, and the time of their last write. */
  readonly #others = new Map<string, number>();
  readonly #gates = new Map<WorkloadKindName, Gate>();
  #listed = false;

  constructor(options: NamespaceScopeOptions) {
    this.#options = options;
  }

  /** There is no selector, so namespaces need not be watched. */
  get isEverything(): boolean {
    return this.#options.selector.isEverything;
  }

  /** Whether the first list of namespaces is complete, or none is needed. */
  get isKnown(): boolean {
    return this.isEverything || this.#listed;
  }

  isSelected(namespace: string): boolean {
    return this.isEverything || this.#selected.has(namespace);
  }

  /**
   * The time from which a change in the namespace counts, by the API server's clock: a workload that is older than the
   * label is taken as it was when the label was added. 0: the namespace was already selected when this process first
   * looked.
   */
  selectedSinceMs(namespace: string): number {
    return this.#selected.get(namespace)?.sinceMs ?? 0;
  }

  /**
   * etcd was restored to about this version, so later writes are undone. A namespace that is selected nevertheless has
   * been selected for longer than an undone write says. Held workloads are listed again: a baseline that an undone
   * write recorded must not count as the current one.
   */
  restored(version: string): void {
    for (const { held } of this.#gates.values()) held.clear();
    // The time of a write that is undone dates nothing. That the namespaces were there before is still true.
    for (const name of this.#others.keys()) this.#others.set(name, 0);
    for (const [name, selected] of this.#selected) {
      if (isOlderVersion(version, selected.version)) this.#selected.set(name, { ...selected, sinceMs: 0 });
    }
  }

  /** Receives all namespaces. */
  namespaceSink(onSynced: () => void): ReflectorSink<NamespaceRecord> {
    return {
      upsert: (record, origin) => {
        if (record.isSelected) {
          this.#select(record, origin);
          return;
        }
        this.#others.set(record.name, writeTimeOf(record));
        this.#leaveOut(record.name);
      },
      remove: (key) => {
        const { name } = splitObjectKey(key);
        this.#others.delete(name);
        this.#leaveOut(name);
      },
      keys: () => [...this.#selected.keys(), ...this.#others.keys()].map((name) => objectKey('', name)),
      synced: () => {
        this.#listed = true;
        onSynced();
      },
    };
  }

  /**
   * Wraps the index's sink for a kind. However often it is requested, a kind has one gate. A Rollout and its referenced
   * Deployment update each other through the gate of the other kind.
   */
  workloadSink(kind: WorkloadKindName, sink: WorkloadSink): WorkloadSink {
    if (this.isEverything) return sink;
    const gate: Gate = this.#gates.get(kind) ?? { sink, held: new Map() };
    this.#gates.set(kind, gate);
    const { held } = gate;
    return {
      upsert: (record, origin) => {
        if (this.isSelected(record.namespace)) sink.upsert(record, origin);
        else this.#hold(record, sink);
      },
      remove: (key, uid) => {
        const { namespace } = splitObjectKey(key);
        const of = held.get(namespace);
        if (uid === undefined || of?.get(key)?.uid === uid) of?.delete(key);
        if (of?.size === 0) held.delete(namespace);
        // The index may know the workload too, as one that asks for nothing.
        sink.remove(key, uid);
      },
      keys: () => new Set([...sink.keys(), ...[...held.values()].flatMap((of) => [...of.keys()])]),
      synced: () => sink.synced(),
    };
  }

  #select(record: NamespaceRecord, origin: 'list' | 'watch'): void {
    const { name, version } = record;
    const selected = this.#selected.get(name);
    if (selected) {
      this.#writtenSince(selected, record);
      return;
    }
    // A server that does not stream lists shows each change long before the first list is complete.
    const wasLeftOut = this.#listed || this.#others.has(name);
    const sinceMs = wasLeftOut ? this.#sinceMs(record, origin) : 0;
    this.#selected.set(name, { sinceMs, version, writtenAtMs: writeTimeOf(record) });
    this.#others.delete(name);
    this.#open(name);
  }

  /** A selected namespace was written again, which may tell that it was selected earlier than it seemed. */
  #writtenSince(selected: Selected, record: NamespaceRecord): void {
    const writtenAtMs = writeTimeOf(record);
    const sinceMs = beforeNextWriteMs(selected.sinceMs, { formerMs: selected.writtenAtMs, writtenAtMs });
    this.#selected.set(record.name, { ...selected, sinceMs, writtenAtMs });
    if (sinceMs === selected.sinceMs) return;
    // The index has dated the workloads by the later time.
    for (const workload of this.#options.forget(record.name)) {
      this.#gates.get(workload.kind)?.sink.upsert(workload, 'list');
    }
  }

  #leaveOut(name: string): void {
    if (this.#selected.delete(name)) this.#close(name);
  }

  /**
   * When it became selected: by its creation, by a label that was added, or by one that was removed. The watch may first
   * show a namespace after later writes. The last of them must not hide a change of a source, so the creation counts.
   */
  #sinceMs(record: NamespaceRecord, origin: 'list' | 'watch'): number {
    const formerMs = this.#others.get(record.name);
    if (formerMs === undefined) return record.createdAtMs;
    const times = { formerMs, writtenAtMs: writeTimeOf(record) };
    // A list shows only the last of several writes, and the label may have come with any of them.
    if (origin === 'list' && times.writtenAtMs > formerMs) return formerMs;
    const seenMs = wholeSecond(this.#options.clock.nowMs());
    return writeTimeMs({ ...times, seenMs }, !this.#options.selector.mayBeMetByRemoval);
  }

  #open(namespace: string): void {
    let workloads = 0;
    for (const { sink, held } of this.#gates.values()) {
      const records = [...(held.get(namespace)?.values() ?? [])];
      held.delete(namespace);
      for (const record of records) sink.upsert(record, 'list');
      workloads += records.length;
    }
    if (this.#listed) this.#options.logger.info(`namespace ${namespace} is selected`, { namespace, workloads });
  }

  /** Nothing is written: the workloads keep their annotations, which are compared if the label comes back. */
  #close(namespace: string): void {
    const records = this.#options.forget(namespace);
    for (const record of records) {
      const gate = this.#gates.get(record.kind);
      if (gate) this.#hold(record, gate.sink);
    }
    const workloads = records.length;
    this.#options.logger.info(`namespace ${namespace} is no longer selected`, { namespace, workloads });
  }

  #hold(record: WorkloadRecord, sink: WorkloadSink): void {
    const { kind, namespace, name, uid } = record;
    const key = objectKey(namespace, name);
    const held = this.#gates.get(kind)?.held;
    const of = held?.get(namespace) ?? new Map<ObjectKey, WorkloadRecord>();
    const isPassed = isHeldPaused(of.get(key));
    held?.set(namespace, of.set(key, record));
    // A workload that Reroll holds paused passes, so that it is resumed in time, and for nothing else.
    if (isHeldPaused(record)) sink.upsert({ ...withRestartsDisabled(record), problems: [] }, 'watch');
    else if (isPassed) sink.remove(key, uid);
  }
}

function writeTimeOf({ createdAtMs, writtenAtMs = createdAtMs }: NamespaceRecord): number {
  return writtenAtMs;
}

function isHeldPaused(record: WorkloadRecord | undefined): boolean {
  return record?.pause?.since !== undefined;
}
