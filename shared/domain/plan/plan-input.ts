import type { Selector } from '../kubernetes/selector';
import type { WorkloadKindName } from '../kubernetes/workload-kinds';
import type { PolicySettings } from '../policy/policy';
import type { SourceFlags, SourceKind, SourceRef } from '../sources/source';
import type { SourceView } from './source-view';
import type { TrackedWorkload } from './tracked-workload';

export interface PlanSettings {
  readonly policy: PolicySettings;
  readonly reloadOnCreate: boolean;
  readonly reloadOnDelete: boolean;
  readonly sourceSelector: Selector;
}

export interface PlanInput {
  readonly workload: TrackedWorkload;
  readonly sources: SourceView;
  /**
   * Kinds of sources whose state is known in the workload's namespace. Nothing may be concluded about the other kinds,
   * except by `isNamed`.
   */
  readonly knownKinds: ReadonlySet<SourceKind>;
  /** Whether a source of another kind is known nevertheless, because it was read by name. */
  readonly isNamed?: (source: SourceRef) => boolean;
  /**
   * Whether resourceVersions of the two kinds show which object was written first; undefined: the API server has not
   * been asked yet. See ComparableVersions.
   */
  readonly isComparable?: (kind: WorkloadKindName, sourceKind: SourceKind) => boolean | undefined;
  /** The annotations of a SecretProviderClass that was never rotated, and so is no source yet. */
  readonly classFlags?: (source: SourceRef) => SourceFlags | undefined;
  readonly keyId: string;
  readonly term: Term;
  readonly settings: PlanSettings;
}

/** A period in which this process leads, by the API server's clock as far as that is known. */
export interface Term {
  /** A workload without a baseline that was created since then is new. An older one may only be new to this process. */
  readonly inChargeSinceMs: number;
  /** A change of a source since then is recognised as a change. Earlier than this term if the process was a standby. */
  readonly watchingSinceMs: number;
}
