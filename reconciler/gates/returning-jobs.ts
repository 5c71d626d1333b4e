import { candidateOf } from '../../shared/domain/plan/candidates';
import { namespaceOfWorkload, type TrackedWorkload, type WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import type { SourceRef } from '../../shared/domain/sources/source';
import type { WorkloadIndex } from '../workloads/workload-index';

export interface ReturningJob {
  /** The journal entry that creates it. */
  readonly entry: string;
  /** The uid of the Job that is deleted for it. */
  readonly formerUid: string;
  /** The Job as it will be created. */
  readonly workload: TrackedWorkload;
}

type Workloads = Pick<WorkloadIndex, 'get' | 'usersOf' | 'revisionOf'>;

/**
 * The workloads of the index, and Jobs that are deleted to be created again. Between the two, the cluster has no such
 * Job, and whoever waits for it would take it for one that does not exist.
 */
export class ReturningJobs implements Workloads {
  readonly #workloads: Workloads & Pick<WorkloadIndex, 'revise'>;
  /** By namespace: any of them may have thousands, and its sources are no concern of theirs. */
  readonly #jobs = new Map<string, Map<WorkloadKey, ReturningJob>>();
  readonly #keys = new Map<string, WorkloadKey>();

  constructor(workloads: Workloads & Pick<WorkloadIndex, 'revise'>) {
    this.#workloads = workloads;
  }

  /** A Job is about to be deleted, or is deleted. */
  add(job: ReturningJob): void {
    const { key, record } = job.workload;
    const known = this.#of(key);
    if (known?.entry === job.entry) return;
    if (known) this.#keys.delete(known.entry);
    const jobs = this.#jobs.get(record.namespace) ?? new Map<WorkloadKey, ReturningJob>();
    this.#jobs.set(record.namespace, jobs.set(key, job));
    this.#keys.set(job.entry, key);
    this.#workloads.revise(record.namespace);
  }

  /** The index shows a workload. */
  saw({ key, record }: TrackedWorkload): void {
    const job = this.#of(key);
    if (job && job.formerUid !== record.uid) this.#delete(job);
  }

  /** An entry ended, and its Job does not come. Returns which one. */
  ended(entry: string): WorkloadKey | undefined {
    const key = this.#keys.get(entry);
    const job = key === undefined ? undefined : this.#of(key);
    if (job) this.#delete(job);
    return key;
  }

  /** Whether the index has yet to show the Job of an entry. */
  has(entry: string): boolean {
    return this.#keys.has(entry);
  }

  clear(): void {
    const namespaces = [...this.#jobs.keys()];
    this.#jobs.clear();
    this.#keys.clear();
    for (const namespace of namespaces) this.#workloads.revise(namespace);
  }

  get(key: WorkloadKey): TrackedWorkload | undefined {
    return this.#workloads.get(key) ?? this.#of(key)?.workload;
  }

  usersOf(source: SourceRef): readonly TrackedWorkload[] {
    const users = this.#workloads.usersOf(source);
    const returning = [...(this.#jobs.get(source.namespace)?.values() ?? [])].flatMap(({ workload }) => {
      const isUser = candidateOf(source, workload) !== undefined;
      return isUser && !this.#workloads.get(workload.key) ? [workload] : [];
    });
    return returning.length === 0 ? users : [...users, ...returning];
  }

  revisionOf(namespace: string): number {
    return this.#workloads.revisionOf(namespace);
  }

  #of(key: WorkloadKey): ReturningJob | undefined {
    return this.#jobs.get(namespaceOfWorkload(key))?.get(key);
  }

  #delete({ entry, workload: { key, record } }: ReturningJob): void {
    const jobs = this.#jobs.get(record.namespace);
    jobs?.delete(key);
    if (jobs?.size === 0) this.#jobs.delete(record.namespace);
    this.#keys.delete(entry);
    this.#workloads.revise(record.namespace);
  }
}
