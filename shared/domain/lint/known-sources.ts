import type { PolicySource } from '../policy';
import type { SourceId, SourceKind } from '../source';

/** What a lint would like to know of the cluster. */
export interface SourceQuestion {
  /** Of the workload. */
  readonly namespace: string;
  /** Names that it lists: whether another namespace has them is of interest. */
  readonly listed: readonly SourceId[];
}

/** What is known of the sources as they are now. What is not known is not judged. */
export interface KnownSources {
  /** Undefined: not known. */
  readonly isNamespaceSelected?: boolean | undefined;
  /** All in the workload's namespace; a kind that is missing is not known. */
  readonly here: Readonly<Partial<Record<SourceKind, readonly PolicySource[]>>>;
  /**
   * Of those asked for, what exists in other namespaces. Who may write a workload learns of a name that it is taken: where
   * tenants are not to know that of each other, it is empty.
   */
  readonly elsewhere: ReadonlySet<SourceId>;
}

/** Nothing is known. */
export const noKnownSources: KnownSources = Object.freeze({ here: {}, elsewhere: new Set<SourceId>() });
