import { namespaceOfWorkload, type WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import { sourceKey, type SourceKey } from '../../shared/domain/sources/source';
import type { StagedSource } from './staged-source';

/** Sources that are kept although nobody waits for them: to build one again costs a look at all of its users. */
const maxSources = 1_000;

/** The sources with stages, by their keys and by the workloads that are users of them. */
export class StagedSources implements Iterable<StagedSource> {
  readonly #sources = new Map<SourceKey, StagedSource>();
  readonly #inNamespace = new Map<string, Set<StagedSource>>();

  get(key: SourceKey | undefined): StagedSource | undefined {
    return key === undefined ? undefined : this.#sources.get(key);
  }

  [Symbol.iterator](): Iterator<StagedSource> {
    return this.#sources.values();
  }

  usedBy(key: WorkloadKey): readonly StagedSource[] {
    const staged = this.#inNamespace.get(namespaceOfWorkload(key));
    return staged ? [...staged].filter((each) => each.has(key)) : [];
  }

  /** Returns the one that is dropped because there are too many; undefined: none is. */
  add(staged: StagedSource): StagedSource | undefined {
    this.#sources.set(sourceKey(staged.source), staged);
    const { namespace } = staged.source;
    this.#inNamespace.set(namespace, (this.#inNamespace.get(namespace) ?? new Set()).add(staged));
    if (this.#sources.size <= maxSources) return undefined;
    const idle = [...this.#sources.values()].find(({ isUnderWay }) => !isUnderWay);
    if (idle) this.drop(idle);
    return idle;
  }

  drop(staged: StagedSource): void {
    const { namespace } = staged.source;
    this.#sources.delete(sourceKey(staged.source));
    const others = this.#inNamespace.get(namespace);
    others?.delete(staged);
    if (others?.size === 0) this.#inNamespace.delete(namespace);
  }

  clear(): void {
    this.#sources.clear();
    this.#inNamespace.clear();
  }
}
