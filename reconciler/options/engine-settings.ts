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
  /** Of the whole cluster. */
  readonly namespacesToIgnore: readonly string[];
  /** Of the whole cluster: workloads are restarted in namespaces with such labels only. */
  readonly namespaceSelector: Selector;
  /** Sources without such labels are to us as if they did not exist. */
  readonly sourceSelector: Selector;
  /** Whether what a CSI driver rotates restarts those who mount it. */
  readonly csi: boolean;
  readonly settleMs: number;
  readonly settleMaxMs: number;
  /** Whether a rollout of somebody else's may answer a change that came before it. */
  readonly foldRollouts: boolean;
  /** Where lease, digest key and journal live. */
  readonly ownNamespace: string;
  readonly leaseName: string;
  /** Other replicas are told of: without a right to the Lease this one does not act. */
  readonly replicated: boolean;
  /** Decides and tells, and writes nothing. */
  readonly dryRun: boolean;
  /** In the lease and in Events; no other live process may have it. */
  readonly identity: string;
}
