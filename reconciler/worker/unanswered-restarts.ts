import { ownAnnotations, ownFieldManager } from '../../shared/domain/annotations/annotations';
import { managesAnnotation } from '../../shared/domain/workloads/managed-fields';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { fieldAt, objectOf } from '../../shared/domain/kubernetes/json-value';
import type { KubeObject } from '../../shared/kube/client/objects';
import { mayBeStored } from '../apply/may-be-stored';
import type { Restart } from '../apply/restart';
import { missingOfMarker } from '../apply/template';
import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';

/** Limit of restarts kept for one version. Retries back off, and a watch shows another version within seconds. */
const mostOfVersion = 8;

/**
 * Restarts whose write got no answer. The write may have been stored, and something on its way may have removed the
 * marker. Then the workload carries the record of a restart that never happened. An answer would have shown that;
 * without one, the workload must be read.
 */
export class UnansweredRestarts {
  /** For each workload, those for one of its versions. Any of them may be the one that is stored. */
  readonly #restarts = new Map<WorkloadKey, readonly Restart[]>();

  /** The write of this restart failed. */
  failed(restart: Restart, error: unknown): void {
    const { key, record } = restart.workload;
    const { apply } = workloadKind(record.kind);
    // Other kinds keep no marker in their own template, or may be restarted by another field.
    if (!mayBeStored(error) || !(apply === 'patch' || apply === 'merge')) return;
    const { resourceVersion } = record;
    const others = this.#restarts.get(key) ?? [];
    const ofSame = others.filter(({ workload }) => workload.record.resourceVersion === resourceVersion);
    this.#restarts.set(key, [...ofSame, restart].slice(-mostOfVersion));
  }

  /** Returns, once, the restarts that the workload may record. The caller must look for a marker in its template. */
  takeRecorded({ key, record }: TrackedWorkload): readonly Restart[] {
    const restarts = this.#restarts.get(key) ?? [];
    // No watch has shown the write yet.
    if (restarts.some(({ workload }) => isSameVersion(workload.record, record))) return [];
    this.#restarts.delete(key);
    return restarts.filter(({ workload: { record: before }, annotations }) => {
      const isRecorded = record.uid === before.uid && record.baselineText === annotations[ownAnnotations.baseline];
      // If somebody else removes the marker later, the pods roll, and the generation is incremented once more.
      return isRecorded && record.generation <= before.generation + 1;
    });
  }

  forget(key: WorkloadKey): void {
    this.#restarts.delete(key);
  }
}

/**
 * The restart that the object records, and the part of its marker that is missing. Undefined if the marker is there, or
 * if the record did not come with one of these restarts: admission may have put the same record into somebody else's
 * write, with the id of another restart or with none.
 */
export function lostRestart(
  restarts: readonly Restart[],
  object: KubeObject,
): { readonly restart: Restart; readonly missing: string } | undefined {
  const { lastRestart } = ownAnnotations;
  const told = object.metadata.annotations?.[lastRestart];
  const isOfOurWrite = managesAnnotation(object, ownFieldManager, ownAnnotations.baseline);
  const recorded = restarts.filter(({ annotations }) =>
    told === undefined ? isOfOurWrite : annotations[lastRestart] === told,
  );
  const found = recorded.map((restart) => {
    const { templatePath } = workloadKind(restart.workload.record.kind);
    return { restart, missing: missingOfMarker(objectOf(fieldAt(object, templatePath)), restart.marker) };
  });
  const [first] = found;
  if (first?.missing === undefined || found.some(({ missing }) => missing === undefined)) return undefined;
  return { restart: first.restart, missing: first.missing };
}

function isSameVersion(left: WorkloadRecord, right: WorkloadRecord): boolean {
  return left.uid === right.uid && left.resourceVersion === right.resourceVersion;
}
