import type { Selector } from '../kubernetes/selector';
import type { SourceKind } from './source';

/** The part of the cluster that Reroll watches. */
export interface Selection {
  /** Empty: the whole cluster. */
  readonly namespaces: readonly string[];
  /** For the whole cluster only. */
  readonly namespacesToIgnore: readonly string[];
  /** For the whole cluster only: workloads are restarted only in namespaces with matching labels. */
  readonly namespaceSelector: Selector;
  /** Sources without matching labels are ignored. */
  readonly sourceSelector: Selector;
  readonly ignoredSourceKinds: readonly SourceKind[];
}
