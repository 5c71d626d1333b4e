import type { PlanSettings, Term } from '../../shared/domain/plan/plan-input';
import type { PolicySettings } from '../../shared/domain/policy/policy';
import type { SourceKind, SourceRef } from '../../shared/domain/sources/source';
import type { DigestKeyring } from '../sources/digest-keyring';
import type { SourceIndex } from '../sources/source-index';
import type { WorkloadIndex } from '../workloads/workload-index';

/** What plans are made from. */
export interface PlanView {
  readonly sources: SourceIndex;
  readonly workloads: WorkloadIndex;
  readonly keys: Pick<DigestKeyring, 'keyId'>;
  readonly settings: PlanSettings & { readonly policy: PolicySettings };
  readonly knownKinds: () => ReadonlySet<SourceKind>;
  readonly isNamed: (source: SourceRef) => boolean;
  /** Undefined while this process must not act. */
  readonly term: () => Term | undefined;
}
