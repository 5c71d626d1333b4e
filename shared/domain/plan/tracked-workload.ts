import type { Baseline } from '../baseline/baseline';
import type { SourceId } from '../sources/source';
import type { WorkloadRecord } from '../workloads/workload';
import type { WorkloadKindName } from '../kubernetes/workload-kinds';

/** `Deployment/shop/web`: the key in the queue. */
export type WorkloadKey = string;

export function workloadKey(kind: WorkloadKindName, namespace: string, name: string): WorkloadKey {
  return `${kind}/${namespace}/${name}`;
}

/** Neither a kind nor a namespace holds a slash. */
export function namespaceOfWorkload(key: WorkloadKey): string {
  const [, namespace = ''] = key.split('/', 2);
  return namespace;
}

/** A workload that some source may restart. */
export interface TrackedWorkload {
  readonly key: WorkloadKey;
  readonly record: WorkloadRecord;
  /** The newest known baseline, from the object or from memory; undefined: there is none, or it is unreadable. */
  readonly baseline: Baseline | undefined;
  /** Why the baseline on the object cannot be used. */
  readonly baselineProblem: string | undefined;
  /** The object lost the newest baseline, or shows an older one: somebody restored an old copy. */
  readonly baselineLost: boolean;
  /**
   * Since when the workload has used its sources, by the API server's clock; in doubt, the earliest possible time. If
   * the start was not observed: the object's own times when it was first seen.
   */
  readonly referencedSinceMs: number | FirstSeenTimes;
  /** The same for sources that it has used for longer, and that nobody could read and record yet. */
  readonly unrecordedSince: ReadonlyMap<SourceId, number | FirstSeenTimes>;
  /** The resource version that first showed it using them; an earlier version may have started it. */
  readonly referencedSinceVersion: string;
  /**
   * Sources that a watch first showed later, by the version that it showed. Only those whose times do not tell that
   * they were created later.
   */
  readonly shownSince: ReadonlyMap<SourceId, string>;
  /**
   * The baseline is only in memory, because a permission is missing or something removes it from the write, which will
   * be retried.
   */
  readonly unwritten: boolean;
}

export interface FirstSeenTimes {
  readonly createdAtMs: number;
  readonly writtenAtMs: number;
}
