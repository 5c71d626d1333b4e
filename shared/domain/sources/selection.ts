import type { Selector } from '../kubernetes/selector';
import type { SourceKind } from './source';

/** Which part of the cluster counts. */
export interface Selection {
  /** Empty: the whole cluster. */
  readonly namespaces: readonly string[];
  readonly namespacesToIgnore: readonly string[];
  readonly namespaceSelector: Selector;
  readonly sourceSelector: Selector;
  readonly ignoredSourceKinds: readonly SourceKind[];
}
