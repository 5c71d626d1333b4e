import { sourceKey, sourceKinds, type SourceKey, type SourceRef } from '../../shared/domain/sources/source';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';

/** Whether a name matches a list. Called only for lists with patterns. */
type Matches = (name: string) => boolean;

/** The workloads that use each source, by reference, by name and by pattern. Holds workload keys. */
export class SourceUsers {
  readonly #byName = new Map<SourceKey, Set<string>>();
  /** By `ConfigMap/namespace`: the workloads that name sources of the kind by a pattern. */
  readonly #byPattern = new Map<string, Map<string, Matches>>();

  add(key: string, record: WorkloadRecord): void {
    for (const source of namedSources(record)) {
      const keys = this.#byName.get(source);
      if (keys) keys.add(key);
      else this.#byName.set(source, new Set([key]));
    }
    for (const kind of sourceKinds) {
      const { named } = record.policy[kind];
      if (!named.hasPatterns) continue;
      const scope = `${kind}/${record.namespace}`;
      const patterns = this.#byPattern.get(scope) ?? new Map<string, Matches>();
      this.#byPattern.set(
        scope,
        patterns.set(key, (name) => named.matches(name)),
      );
    }
  }

  /** `record` is the one that the workload was added with. */
  remove(key: string, record: WorkloadRecord): void {
    for (const source of namedSources(record)) {
      const keys = this.#byName.get(source);
      keys?.delete(key);
      if (keys?.size === 0) this.#byName.delete(source);
    }
    for (const kind of sourceKinds) {
      const scope = `${kind}/${record.namespace}`;
      const patterns = this.#byPattern.get(scope);
      patterns?.delete(key);
      if (patterns?.size === 0) this.#byPattern.delete(scope);
    }
  }

  /** Keys of the workloads that a change of this source may concern. */
  of(source: SourceRef): ReadonlySet<string> {
    const { kind, namespace, name } = source;
    const keys = new Set(this.#byName.get(sourceKey(source)));
    for (const [key, matches] of this.#byPattern.get(`${kind}/${namespace}`) ?? []) if (matches(name)) keys.add(key);
    return keys;
  }
}

function* namedSources({ namespace, references, policy }: WorkloadRecord): Iterable<SourceKey> {
  for (const { kind, name } of references) yield sourceKey({ kind, namespace, name });
  for (const kind of sourceKinds) {
    for (const name of policy[kind].named.literals) yield sourceKey({ kind, namespace, name });
  }
}
