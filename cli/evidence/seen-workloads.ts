import { workloadKinds } from '../../shared/domain/kubernetes/workload-kinds';
import { readWorkload, type WorkloadRecord } from '../../shared/domain/workloads/workload';
import type { KubeClient } from '../../shared/kube/client/client';
import { listObjects, type RequestLimits } from '../../shared/kube/client/objects';
import { untrackedBecause } from './account';
import type { Install } from './install';
import { look } from './seen';
import { readSelection } from './place';

/** The workloads that something may restart, as far as they may be listed. */
export interface SeenWorkloads {
  readonly records: readonly WorkloadRecord[];
  /** Rights without which some kinds are missing. */
  readonly missingRights: readonly string[];
}

const pageSize = 500;

/** Lists the workloads of a namespace, or of all, in the order of kind, namespace and name. */
export async function readWorkloads(
  client: KubeClient,
  namespace: string | undefined,
  install: Install,
  limits: RequestLimits,
): Promise<SeenWorkloads> {
  const { keys, policy } = install.settings;
  const lists = await Promise.all(
    workloadKinds.map(async (kind) => {
      const seen = await look(listObjects(client, kind.resource, namespace, { ...limits, pageSize }));
      if (seen.is !== 'there') return { records: [], missingRights: seen.is === 'hidden' ? [seen.right] : [] };
      return { records: seen.value.map((object) => readWorkload(kind, object, keys, policy)), missingRights: [] };
    }),
  );
  const records = lists.flatMap((list) => list.records);
  const namespaces = [...new Set(records.map((record) => record.namespace))];
  const selected = new Map(
    await Promise.all(
      namespaces.map(async (name) => [name, await readSelection(client, name, install, limits)] as const),
    ),
  );
  const order = ({ kind, namespace: within, name }: WorkloadRecord): string => `${kind}/${within}/${name}`;
  return {
    records: records
      .filter((record) => untrackedBecause(record, install, selected.get(record.namespace)) === undefined)
      .toSorted((left, right) => (order(left) < order(right) ? -1 : 1)),
    missingRights: lists.flatMap((list) => list.missingRights),
  };
}
