import { isOlderVersion } from '../../shared/domain/kubernetes/resource-version';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import type { TrackedWorkload, WorkloadKey } from '../../shared/domain/plan/tracked-workload';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import { getObject } from '../../shared/kube/client/objects';
import type { ApplyContext } from '../apply/restart';
import type { WorkloadIndex } from '../workloads/workload-index';

export interface RefusedVersionsOptions {
  readonly workloads: Pick<WorkloadIndex, 'get'>;
  readonly context: Pick<ApplyContext, 'client' | 'read'>;
  /** Takes over an object that was read by name. */
  readonly refresh: (record: WorkloadRecord) => void;
  /** Called when an object is older than the server has shown it: etcd was restored. */
  readonly onRestored: (version: string) => void;
}

/** Versions of workloads that a write was refused for. Only a newer version is worth another try. */
export class RefusedVersions {
  readonly #options: RefusedVersionsOptions;
  readonly #versions = new Map<WorkloadKey, string>();

  constructor(options: RefusedVersionsOptions) {
    this.#options = options;
  }

  note({ key, record }: TrackedWorkload): void {
    this.#versions.set(key, record.resourceVersion);
  }

  forget(key: WorkloadKey): void {
    this.#versions.delete(key);
  }

  /**
   * After a conflict the watch usually shows the newer version. If it did not, the object is read by name.
   * @throws KubeErrors
   */
  async catchUp({ key, record }: TrackedWorkload): Promise<void> {
    const refused = this.#versions.get(key);
    if (refused === undefined) return;
    const { workloads, context, refresh, onRestored } = this.#options;
    if (refused === record.resourceVersion) {
      const { resource } = workloadKind(record.kind);
      const object = await getObject(context.client, resource, record.namespace, record.name);
      const found = context.read(record.kind, object);
      // The workload may be gone from the index, for example because its namespace is no longer selected.
      const known = workloads.get(key)?.record;
      // A read by name comes from etcd itself. The Lease and the watches may not have shown the restore: they may have
      // begun after it.
      if (isOlderVersion(found.resourceVersion, refused)) onRestored(found.resourceVersion);
      // The watch may have shown what followed before this answer arrived, and shows it only once.
      const isShownSince = known?.resourceVersion !== refused;
      if (known && !(isShownSince && isOlderVersion(found.resourceVersion, known.resourceVersion))) refresh(found);
    }
    this.#versions.delete(key);
  }
}
