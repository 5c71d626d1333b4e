import type { PlanInput, PlanSettings, Term } from '../../shared/domain/plan/plan-input';
import type { TrackedWorkload } from '../../shared/domain/plan/tracked-workload';
import type { PolicySettings } from '../../shared/domain/policy/policy';
import type { SourceKind, SourceRef } from '../../shared/domain/sources/source';
import type { DigestKeyring } from '../sources/digest-keyring';
import type { SourceIndex } from '../sources/source-index';
import type { ComparableVersions } from '../workloads/comparable-versions';
import type { WorkloadIndex } from '../workloads/workload-index';

/** What plans are made from. */
export interface PlanView {
  readonly sources: SourceIndex;
  readonly workloads: WorkloadIndex;
  readonly keys: Pick<DigestKeyring, 'keyId'>;
  readonly settings: PlanSettings & { readonly policy: PolicySettings };
  /** Kinds of sources whose state is known in a namespace. */
  readonly knownKinds: (namespace: string) => ReadonlySet<SourceKind>;
  readonly isNamed: (source: SourceRef) => boolean;
  /** Undefined while this process must not act. */
  readonly term: () => Term | undefined;
}

/** What the plan for one workload is made from, in this term. */
export function planInput(
  view: Omit<PlanView, 'workloads' | 'term'> & { readonly versions: Pick<ComparableVersions, 'known'> },
  workload: TrackedWorkload,
  term: Term,
): PlanInput {
  const { sources, keys, settings, isNamed, versions } = view;
  const knownKinds = view.knownKinds(workload.record.namespace);
  const isComparable: PlanInput['isComparable'] = (kind, sourceKind) => versions.known(kind, sourceKind);
  return { workload, sources, knownKinds, isNamed, isComparable, keyId: keys.keyId, term, settings };
}
