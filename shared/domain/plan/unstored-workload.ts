import type { Baseline } from '../baseline/baseline';
import { objectOf, type JsonObject } from '../kubernetes/json-value';
import type { WorkloadRecord } from '../workloads/workload';
import { workloadKey, type TrackedWorkload } from './tracked-workload';

/** The uid and the name of an object that the API server has not given one yet. */
export const notStored = 'not stored yet';

/** An object that is yet to be created has neither uid nor version, and maybe no name. */
export function withIdentity(object: JsonObject, namespace: string): object {
  const { name = notStored, uid = notStored, ...metadata } = objectOf(object['metadata']);
  return { ...object, metadata: { ...metadata, name, uid, namespace, resourceVersion: '0' } };
}

/** To the planner, its pods start after everything that is known. */
export function unstoredWorkload(record: WorkloadRecord, baseline: Baseline | undefined): TrackedWorkload {
  const { kind, namespace, name } = record;
  return {
    ...{ key: workloadKey(kind, namespace, name), record, baseline, referencedSinceMs: Infinity },
    ...{ baselineProblem: undefined, baselineLost: false, unwritten: false },
    referencedSinceVersion: record.resourceVersion,
    shownSince: new Map(),
    unrecordedSince: new Map(),
  };
}
