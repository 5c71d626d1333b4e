import type { LocalWorkloadName } from '../gate-settings/restart-order';
import type { PolicySource } from '../policy/policy';
import type { LocalSourceRef, SourceId, SourceKind } from '../sources/source';

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
  /** The workloads after which a workload of the namespace comes, as its annotation says. Undefined: not known. */
  readonly namedBy?: (workload: LocalWorkloadName) => readonly LocalWorkloadName[];
  /** Whether another workload than this one is the canary among the users of a source. Undefined: not known. */
  readonly hasOtherCanary?: (source: LocalSourceRef, workload: LocalWorkloadName) => boolean;
}

/** Nothing is known. */
export const noKnownSources: KnownSources = Object.freeze({
  kinds: new Set<SourceKind>(),
  named: new Map<SourceId, PolicySource>(),
});
