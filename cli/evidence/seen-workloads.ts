import { workloadKinds } from '../../shared/domain/kubernetes/workload-kinds';
import type { WorkloadRecord } from '../../shared/domain/workloads/workload';
import type { KubeClient } from '../../shared/kube/client/client';
import type { RequestLimits } from '../../shared/kube/client/objects';
import { untrackedBecause } from './account';
import type { Install } from './install';
import { joinedWorkloads, readReferenceable } from './joined-workloads';
import { readSelections } from './place';
import { lookAtKinds, type SeenKinds } from './seen-kind';

/** The workloads that something may restart, as far as they may be listed. */
export interface SeenWorkloads extends Omit<SeenKinds<WorkloadRecord>, 'values'> {
  readonly records: readonly WorkloadRecord[];
}

/** Lists the workloads of a namespace, or of all, in the order of kind, namespace and name. */
export async function readWorkloads(
  client: KubeClient,
  namespace: string | undefined,
  install: Install,
  limits: RequestLimits,
): Promise<SeenWorkloads> {
  const { values, ...missing } = await lookAtKinds(client, workloadKinds, namespace, limits, (kind, object) => [
    readReferenceable(kind, object, install.settings),
  ]);
  const records = joinedWorkloads(values, install.settings).map(({ record }) => record);
  const namespaces = [...new Set(records.map((record) => record.namespace))];
  const isSelected = await readSelections(client, namespaces, install, limits);
  const order = ({ kind, namespace: within, name }: WorkloadRecord): string => `${kind}/${within}/${name}`;
  return {
    records: records
      .filter((record) => untrackedBecause(record, install, isSelected(record.namespace)) === undefined)
      .toSorted((left, right) => (order(left) < order(right) ? -1 : 1)),
    ...missing,
  };
}
