import type { PolicySource } from '../policy/policy';
import type { SourceId, SourceKind } from '../sources/source';

/** What a lint would like to know of the cluster. */
export interface SourceQuestion {
  /** Of the workload. */
  readonly namespace: string;
  /** Sources that the workload itself says the names of; of no others it is told anything. */
  readonly named: readonly SourceId[];
}

/** What is known of the sources as they are now. What is not known is not judged. */
export interface KnownSources {
  /** Undefined: not known. */
  readonly isNamespaceSelected?: boolean | undefined;
  /** Of the others it is not known what there is. */
  readonly kinds: ReadonlySet<SourceKind>;
  /** Of those asked for, what exists in the workload's namespace. */
  readonly named: ReadonlyMap<SourceId, Pick<PolicySource, 'ignore' | 'match'>>;
}

/** Nothing is known. */
export const noKnownSources: KnownSources = Object.freeze({
  kinds: new Set<SourceKind>(),
  named: new Map<SourceId, PolicySource>(),
});
