import type { Selector } from '../kubernetes/selector';
import type { WorkloadKindName } from '../kubernetes/workload-kinds';
import type { PolicySettings } from '../policy/policy';
import type { SourceKind, SourceRef } from '../sources/source';
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
  /** Kinds of sources whose state is known: of the others nothing is concluded. */
  readonly knownKinds: ReadonlySet<SourceKind>;
  /** Sources of the other kinds whose state is known all the same, by reads. */
  readonly isNamed?: (source: SourceRef) => boolean;
  /** Whether versions of the two kinds tell what was written first; undefined: that is to be asked. See ComparableVersions. */
  readonly isComparable?: (kind: WorkloadKindName, sourceKind: SourceKind) => boolean | undefined;
  readonly keyId: string;
  readonly term: Term;
  readonly settings: PlanSettings;
}

/** The time in which this process leads, by the API server's clock as far as that is known. */
export interface Term {
  /** From when on a workload without a baseline is known to be new, rather than new to us. */
  readonly inChargeSinceMs: number;
  /** From when on a change of a source is known to be one: before this term if this process stood by. */
  readonly watchingSinceMs: number;
}
