import type { AnnotationKeys } from '../../shared/domain/annotations/annotations';
import type { PolicySettings } from '../../shared/domain/policy/policy';
import type { Selection } from '../../shared/domain/sources/selection';
import type { SourceKind } from '../../shared/domain/sources/source';
import type { StrategyName } from '../../shared/domain/workloads/workload';

export interface EngineSettings extends Omit<Selection, 'ignoredSourceKinds'> {
  readonly policy: PolicySettings;
  readonly annotationKeys: AnnotationKeys;
  readonly strategy: StrategyName;
  readonly reloadOnCreate: boolean;
  readonly reloadOnDelete: boolean;
  readonly ignoredSourceKind: SourceKind | undefined;
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
