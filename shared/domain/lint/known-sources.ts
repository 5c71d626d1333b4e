import type { LocalWorkloadName } from '../gate-settings/restart-order';
import type { PolicySource } from '../policy/policy';
import type { LocalSourceRef, SourceId, SourceKind } from '../sources/source';
import type { WorkloadSpec } from '../workloads/workload';

/** What a lint needs to know about the cluster. */
export interface SourceQuestion {
  /** The workload's namespace. */
  readonly namespace: string;
  /** Sources that the workload itself names. A lint learns nothing about any others. */
  readonly named: readonly SourceId[];
}

/** What is known about sources now. Unknown facts cause no findings. */
export interface KnownSources {
  /** Undefined: not known. */
  readonly isNamespaceSelected?: boolean | undefined;
  /** Kinds whose sources are known. */
  readonly kinds: ReadonlySet<SourceKind>;
  /** The sources among those asked for that exist in the workload's namespace. */
  readonly named: ReadonlyMap<SourceId, Pick<PolicySource, 'ignore' | 'match'>>;
  /** A workload of the namespace that something may restart. Undefined: there is none, or it is not known. */
  readonly workload?: (name: LocalWorkloadName) => OtherWorkload | undefined;
  /** Whether another workload than this one is the canary among the users of a source. Undefined: not known. */
  readonly hasOtherCanary?: (source: LocalSourceRef, workload: LocalWorkloadName) => boolean;
}

/** What a lint needs to know about another workload. */
export type OtherWorkload = Pick<WorkloadSpec, 'policy' | 'references' | 'gates' | 'controlledBy'>;

/** Nothing is known. */
export const noKnownSources: KnownSources = Object.freeze({
  kinds: new Set<SourceKind>(),
  named: new Map<SourceId, PolicySource>(),
});
