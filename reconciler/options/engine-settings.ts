import type { AnnotationKeys } from '../../shared/domain/annotations/annotations';
import type { GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import type { PaceSettings } from '../../shared/domain/gate-settings/pace-settings';
import type { StageSettings } from '../../shared/domain/gate-settings/stage-settings';
import type { PolicySettings } from '../../shared/domain/policy/policy';
import type { Selection } from '../../shared/domain/sources/selection';
import type { SourceKind } from '../../shared/domain/sources/source';
import type { StrategyName } from '../../shared/domain/workloads/workload-settings';

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
  /** When workloads may be restarted whose own annotations, sources and namespace do not say it. */
  readonly gates: GateSettings | undefined;
  /** How many workloads may roll at once. */
  readonly pace: PaceSettings;
  /** How a change reaches many users of one source. */
  readonly stages: StageSettings;
  /** Whether contents that work are kept, and put back, where annotations ask for it. */
  readonly rollback: boolean;
  /** Whether a rollout by somebody else can replace the restart for an earlier change. */
  readonly foldRollouts: boolean;
  /** Whether the history of restarts is kept in ConfigMaps; otherwise in memory alone. */
  readonly history: boolean;
  /** The namespace of lease, digest key, journal and history. */
  readonly ownNamespace: string;
  readonly leaseName: string;
  /** There are other replicas, so this one does not act without permission for the Lease. */
  readonly replicated: boolean;
  /** Dry run: decide and report, but write nothing. */
  readonly dryRun: boolean;
  /** Used in the Lease and in Events. No other live process may use it. */
  readonly identity: string;
}
