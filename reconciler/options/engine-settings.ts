import type { AnnotationKeys } from '../../shared/domain/annotations/annotations';
import type { PolicySettings } from '../../shared/domain/policy/policy';
import type { Selector } from '../../shared/domain/kubernetes/selector';
import type { SourceKind } from '../../shared/domain/sources/source';
import type { StrategyName } from '../../shared/domain/workloads/workload';

export interface EngineSettings {
  readonly policy: PolicySettings;
  readonly annotationKeys: AnnotationKeys;
  readonly strategy: StrategyName;
  readonly reloadOnCreate: boolean;
  readonly reloadOnDelete: boolean;
  readonly ignoredSourceKind: SourceKind | undefined;
  /** Empty: the whole cluster. */
  readonly namespaces: readonly string[];
  /** For the whole cluster only. */
  readonly namespacesToIgnore: readonly string[];
  /** For the whole cluster only: workloads are restarted only in namespaces with matching labels. */
  readonly namespaceSelector: Selector;
  /** Sources without matching labels are ignored. */
  readonly sourceSelector: Selector;
  /** Whether a rotation by a CSI driver restarts the workloads that mount the volume. */
  readonly csi: boolean;
  readonly settleMs: number;
  readonly settleMaxMs: number;
  /** Whether somebody else's rollout may answer a change that was made before it. */
  readonly foldRollouts: boolean;
  /** The namespace of lease, digest key and journal. */
  readonly ownNamespace: string;
  readonly leaseName: string;
  /** There are other replicas: without permission for the Lease this one does not act. */
  readonly replicated: boolean;
  /** Decides and reports, and writes nothing. */
  readonly dryRun: boolean;
  /** Used in the lease and in Events. No other live process may have it. */
  readonly identity: string;
}
