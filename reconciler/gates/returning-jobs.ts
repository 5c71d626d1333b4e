import { candidateOf } from '../../shared/domain/plan/candidates';
import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';
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

/**
 * The workloads of the index, and Jobs that are deleted to be created again. Between the two, the cluster has no such
 * Job, and whoever waits for it would take it for one that does not exist.
 */
export class ReturningJobs implements Pick<WorkloadIndex, 'get' | 'usersOf' | 'revisionOf'> {
  readonly #workloads: Pick<WorkloadIndex, 'get' | 'usersOf' | 'revisionOf'>;
  readonly #jobs = new Map<WorkloadKey, ReturningJob>();
  #revision = 0;

  constructor(workloads: Pick<WorkloadIndex, 'get' | 'usersOf' | 'revisionOf'>) {
    this.#workloads = workloads;
  }

  /** A Job is about to be deleted, or is deleted. */
  add(job: ReturningJob): void {
    const { key } = job.workload;
    if (this.#jobs.get(key)?.entry === job.entry) return;
    this.#jobs.set(key, job);
    this.#revision += 1;
  }

  /** The index shows a workload. */
  saw({ key, record }: TrackedWorkload): void {
    const job = this.#jobs.get(key);
    if (job && job.formerUid !== record.uid) this.#delete(key);
  }

  /** An entry ended, and its Job does not come. Returns which one. */
  ended(entry: string): WorkloadKey | undefined {
    for (const [key, job] of this.#jobs) {
      if (job.entry !== entry) continue;
      this.#delete(key);
      return key;
    }
    return undefined;
  }

  /** Whether the index has yet to show the Job of an entry. */
  has(entry: string): boolean {
    return [...this.#jobs.values()].some((job) => job.entry === entry);
  }

  clear(): void {
    this.#jobs.clear();
    this.#revision += 1;
  }

  get(key: WorkloadKey): TrackedWorkload | undefined {
    return this.#workloads.get(key) ?? this.#jobs.get(key)?.workload;
  }

  usersOf(source: SourceRef): readonly TrackedWorkload[] {
    const users = this.#workloads.usersOf(source);
    const returning = [...this.#jobs.values()].flatMap(({ workload }) => {
      const isUser = workload.record.namespace === source.namespace && candidateOf(source, workload) !== undefined;
      return isUser && !this.#workloads.get(workload.key) ? [workload] : [];
    });
    return returning.length === 0 ? users : [...users, ...returning];
  }

  revisionOf(namespace: string): number {
    return this.#workloads.revisionOf(namespace) + this.#revision;
  }

  #delete(key: WorkloadKey): void {
    this.#jobs.delete(key);
    this.#revision += 1;
  }
}
