import { ownAnnotations, ownFieldManager } from '../../shared/domain/annotations/annotations';
import { managesAnnotation } from '../../shared/domain/workloads/managed-fields';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import { isOlderVersion } from '../../shared/domain/kubernetes/resource-version';
import { workloadKind, type WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import { observedRevision } from '../../shared/domain/workloads/observed-revision';
import { fieldAt, objectOf, textOf } from '../../shared/domain/kubernetes/json-value';
import type { KubeObject } from '../../shared/kube/client/objects';
import { mayBeStored } from '../apply/may-be-stored';
import type { Restart } from '../apply/restart';
import { missingOfMarker } from '../apply/template';
import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';

/** What tells whether pods were rolled out between two versions of a workload. */
type Version = { readonly generation: number; readonly revision?: number | undefined };

/** Limit of restarts kept for one baseline. Retries back off, and a watch shows another version within seconds. */
const mostOfBaseline = 8;

/**
 * Restarts whose write got no answer. The write may have been stored, and something on its way may have removed the
 * marker. Then the workload carries the record of a restart that never happened. An answer would have shown that;
 * without one, the workload must be read.
 */
export class UnansweredRestarts {
  /** For each workload, those for one of its baselines. Any of them may be the one that is stored. */
  readonly #restarts = new Map<WorkloadKey, readonly Restart[]>();

  /** The write of this restart failed. */
  failed(restart: Restart, error: unknown): void {
    const { key, record } = restart.workload;
    if (!mayBeStored(error)) return;
    const others = this.#restarts.get(key) ?? [];
    const ofSame = others.filter(({ workload }) => hasSameBaseline(workload.record, record));
    this.#restarts.set(key, [...ofSame, restart].slice(-mostOfBaseline));
  }

  /** This version of the workload was shown or read: forgets the restarts that can no longer be stored. */
  seen({ key, record }: TrackedWorkload): void {
    const restarts = this.#restarts.get(key) ?? [];
    const left = restarts.filter(({ workload }) => !isOvertaken(workload.record, record));
    if (left.length === 0) this.#restarts.delete(key);
    else this.#restarts.set(key, left);
  }

  /**
   * Returns, once, the restarts that the workload may record. The caller must look for the markers of those that
   * {@link mayLackMarker}. Undefined: the workload does not show yet what became of them.
   */
  takeRecorded(workload: TrackedWorkload): readonly Restart[] | undefined {
    const { key, record } = workload;
    this.seen(workload);
    const restarts = this.#restarts.get(key) ?? [];
    // No watch has shown the write yet.
    if (restarts.some(({ workload }) => hasSameBaseline(workload.record, record))) return [];
    const recorded = restarts.filter(
      ({ workload: { record: before }, annotations }) =>
        record.uid === before.uid && record.baselineText === annotations[ownAnnotations.baseline],
    );
    if (isUndecided(recorded, record)) return undefined;
    this.#restarts.delete(key);
    return recorded;
  }

  /**
   * Returns, once, the restarts that may be stored although the workload still records what it did before: something may
   * have removed the baseline on its way. The caller must look for a marker in its template.
   */
  takeUnrecorded({ key, record }: TrackedWorkload): readonly Restart[] {
    const restarts = this.#restarts.get(key) ?? [];
    const mayBeStored = ({ workload: { record: before }, marker }: Restart): boolean =>
      hasSameBaseline(before, record) &&
      before.generation < record.generation &&
      keepsMarker(before) &&
      !isEmpty(marker);
    const found = restarts.filter(mayBeStored);
    const left = restarts.filter((restart) => !found.includes(restart));
    if (found.length > 0) this.#restarts.set(key, left);
    return found;
  }

  forget(key: WorkloadKey): void {
    this.#restarts.delete(key);
  }
}

/**
 * The restart that the object records, and the part of its marker that is missing. Undefined if the marker is there, or
 * if somebody may have removed it since: the object may be newer than what the watch has shown. Undefined, too, if the
 * record did not come with one of these restarts: admission may have put the same record into somebody else's write, with
 * the id of another restart or with none.
 */
export function lostRestart(
  restarts: readonly Restart[],
  object: KubeObject,
): { readonly restart: Restart; readonly missing: string } | undefined {
  const { lastRestart } = ownAnnotations;
  const told = object.metadata.annotations?.[lastRestart];
  const isOfOurWrite = managesAnnotation(object, ownFieldManager, ownAnnotations.baseline);
  const recorded = restarts.filter(
    ({ annotations, workload }) =>
      (told === undefined ? isOfOurWrite : annotations[lastRestart] === told) &&
      mayHaveRolled(workload.record, versionOf(workload.record.kind, object)) === false,
  );
  const found = recorded.map((restart) => ({ restart, missing: missingOf(restart, object) }));
  const [first] = found;
  if (first?.missing === undefined || found.some(({ missing }) => missing === undefined)) return undefined;
  return { restart: first.restart, missing: first.missing };
}

/** Whether a workload that records the restart may have been stored without its marker. */
export function mayLackMarker({ workload: { record: before } }: Restart, now: Version): boolean {
  return keepsMarker(before) && mayHaveRolled(before, now) === false;
}

/** Whether this version of the workload does not show yet what became of one of these restarts. */
export function isUndecided(restarts: readonly Restart[], now: Version): boolean {
  return restarts.some(
    ({ workload: { record: before } }) => keepsMarker(before) && mayHaveRolled(before, now) === undefined,
  );
}

/** What {@link isUndecided} asks of the object. */
export function versionOf(kind: WorkloadKindName, object: KubeObject): Version {
  return { generation: object.metadata.generation ?? 0, revision: observedRevision(kind, object) };
}

function missingOf({ workload: { record }, marker, atMs }: Restart, object: KubeObject): string | undefined {
  if (record.kind === 'Rollout' && record.rollout?.strategy === 'restart') {
    const restartsAtMs = Date.parse(textOf(fieldAt(object, ['spec', 'restartAt'])) ?? '');
    return restartsAtMs >= atMs ? undefined : 'spec.restartAt';
  }
  return missingOfMarker(objectOf(fieldAt(object, workloadKind(record.kind).templatePath)), marker);
}

/** The restart whose marker is in the template. Each has another one. */
export function markedRestart(restarts: readonly Restart[], object: KubeObject): Restart | undefined {
  return restarts.find(({ workload: { record }, marker }) => {
    const template = objectOf(fieldAt(object, workloadKind(record.kind).templatePath));
    return missingOfMarker(template, marker) === undefined;
  });
}

function isEmpty({ annotations, env }: Restart['marker']): boolean {
  return env.length === 0 && Object.keys(annotations).length === 0;
}

/**
 * Whether the pods may have rolled out between the two versions, and somebody may have removed the marker afterwards.
 * That increments the generation twice, but so does a write without its marker that somebody's scaling follows, because
 * annotations of a Deployment count for its generation. The revision tells these two apart. Undefined: not yet.
 */
function mayHaveRolled(before: WorkloadRecord, now: Version): boolean | undefined {
  if (now.generation <= before.generation + 1) return false;
  if (before.revision === undefined) return true;
  return now.revision === undefined ? undefined : now.revision !== before.revision;
}

/**
 * Whether a write to the earlier version can no longer be stored: there is a later one, which does not record it. Kinds that
 * are read again before the write are left out, because it names a later version than the index had.
 */
function isOvertaken(before: WorkloadRecord, record: WorkloadRecord): boolean {
  if (workloadKind(before.kind).apply !== 'patch') return false;
  return hasSameBaseline(before, record) && isOlderVersion(before.resourceVersion, record.resourceVersion);
}

/** Whether no restart was stored between the two: each restart records another baseline. */
function hasSameBaseline(left: WorkloadRecord, right: WorkloadRecord): boolean {
  return left.uid === right.uid && left.baselineText === right.baselineText;
}

/** Whether a restart changes the workload's own spec. A Job is another one afterwards, and a CronJob is run as it is. */
function keepsMarker({ kind }: WorkloadRecord): boolean {
  const { apply } = workloadKind(kind);
  return apply === 'patch' || apply === 'merge' || apply === 'rollout';
}
