import type { Baseline } from '../baseline/baseline';
import type { SourceId } from '../sources/source';
import type { WorkloadRecord } from '../workloads/workload';
import type { WorkloadKindName } from '../kubernetes/workload-kinds';

/** `Deployment/shop/web`: what the queue holds. */
export type WorkloadKey = string;

export function workloadKey(kind: WorkloadKindName, namespace: string, name: string): WorkloadKey {
  return `${kind}/${namespace}/${name}`;
}

/** A workload that some source may restart. */
export interface TrackedWorkload {
  readonly key: WorkloadKey;
  readonly record: WorkloadRecord;
  /** The newest baseline known, on the object or in memory; undefined: none, or none that can be read. */
  readonly baseline: Baseline | undefined;
  /** Why the baseline on the object cannot be used. */
  readonly baselineProblem: string | undefined;
  /** The object lost the newest baseline, or shows an older one: someone put back a copy from the past. */
  readonly baselineLost: boolean;
  /**
   * Since when the workload uses the sources that it uses, by the API server's clock; where that is not known, the
   * earliest time that it may be. Where it was not seen happen: what the object told of itself at first sight.
   */
  readonly referencedSinceMs: number | FirstSight;
  /** The version that showed that it uses them; it may have come to do so by one before. */
  readonly referencedSinceVersion: string;
  /** Sources that were created after that in the same second, as a watch has shown. */
  readonly createdSince: ReadonlySet<SourceId>;
  /** The baseline on the object was made with another key, by somebody who knew then what its pods run with. */
  readonly underOtherKey: boolean;
  /** The baseline is known here alone, for want of a right: it is to be tried again. */
  readonly unwritten: boolean;
}

export interface FirstSight {
  readonly createdAtMs: number;
  readonly writtenAtMs: number;
}
