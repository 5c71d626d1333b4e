import type { Selector } from '../kubernetes/selector';
import type { SourceKind } from './source';

/** The part of the cluster that Reroll watches. */
export interface Selection {
  /** Empty: the whole cluster. */
  readonly namespaces: readonly string[];
  readonly namespacesToIgnore: readonly string[];
  readonly namespaceSelector: Selector;
  readonly sourceSelector: Selector;
  readonly ignoredSourceKinds: readonly SourceKind[];
}
