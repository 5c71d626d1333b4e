import { ownAnnotations, ownFieldManager } from '../../shared/domain/annotations/annotations';
import { managesAnnotation } from '../../shared/domain/workloads/managed-fields';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { fieldAt, objectOf } from '../../shared/domain/kubernetes/json-value';
import type { KubeObject } from '../../shared/kube/client/objects';
import { KubeError } from '../../shared/kube/errors';
import { StaleWorkloadError } from '../apply/read-again';
import { NotLeadingError, type Restart } from '../apply/restart';
import { missingOfMarker } from '../apply/template';
import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';

/** Tries for one version follow each other ever more slowly, and a watch shows another version within seconds. */
const mostOfVersion = 8;

/**
 * Restarts whose write got no answer. The write may be stored, and something on its way may have taken the marker out: then
 * the workload carries the record of a restart that never was. An answer would have shown that; here the workload has to be
 * read.
 */
export class UnansweredRestarts {
  /** Of each workload those for one version of it: any of them may be the one that is stored. */
  readonly #restarts = new Map<WorkloadKey, readonly Restart[]>();

  /** The write of this restart failed. */
  failed(restart: Restart, error: unknown): void {
    const { key, record } = restart.workload;
    const isUnsent = error instanceof NotLeadingError || error instanceof StaleWorkloadError;
    const isAnswered = error instanceof KubeError && error.status !== undefined && error.status < 500;
    const { apply } = workloadKind(record.kind);
    // The others keep no marker in a template of theirs, or may be restarted by another field.
    if (isUnsent || isAnswered || !(apply === 'patch' || apply === 'merge')) return;
    const { resourceVersion } = record;
    const others = this.#restarts.get(key) ?? [];
    const ofSame = others.filter(({ workload }) => workload.record.resourceVersion === resourceVersion);
    this.#restarts.set(key, [...ofSame, restart].slice(-mostOfVersion));
  }

  /** Those that the workload may record, once: whether its template has the marker of one is to be looked at. */
  takeRecorded({ key, record }: TrackedWorkload): readonly Restart[] {
    const restarts = this.#restarts.get(key) ?? [];
    // The write is not shown yet.
    if (restarts.some(({ workload }) => isSameVersion(workload.record, record))) return [];
    this.#restarts.delete(key);
    return restarts.filter(({ workload: { record: before }, annotations }) => {
      const isRecorded = record.uid === before.uid && record.baselineText === annotations[ownAnnotations.baseline];
      // A later write of somebody else may take the marker away as well, with a rollout; it counts the generation up once more.
      return isRecorded && record.generation <= before.generation + 1;
    });
  }

  forget(key: WorkloadKey): void {
    this.#restarts.delete(key);
  }
}

/**
 * The restart that the object records, and what is missing of its marker. Undefined if the marker is there, or if the
 * record did not come with one of these restarts: admission may have put the same record into somebody else's write,
 * with the id of another restart or with none.
 */
export function lostRestart(
  restarts: readonly Restart[],
  object: KubeObject,
): { readonly restart: Restart; readonly missing: string } | undefined {
  const { lastRestart } = ownAnnotations;
  const told = object.metadata.annotations?.[lastRestart];
  const isOurWrite = told !== undefined || managesAnnotation(object, ownFieldManager, ownAnnotations.baseline);
  const recorded = restarts.filter(
    ({ annotations }) => isOurWrite && (told === undefined || annotations[lastRestart] === told),
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
