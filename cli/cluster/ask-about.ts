import { sourceInspectionSchema, type SourceInspection } from '../../shared/domain/protocol/source-inspection';
import type { Tolerant } from '../../shared/domain/protocol/tolerant-schema';
import { workloadInspectionSchema, type WorkloadInspection } from '../../shared/domain/protocol/workload-inspection';
import { askLeader, type Told } from './ask-leader';
import type { Cluster } from './cluster';

interface Asked {
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Asks the leader about one source and its users. @throws KubeError */
export async function askSource(
  cluster: Pick<Cluster, 'ask'>,
  { kind, namespace = '', name }: Asked,
): Promise<Told<Tolerant<SourceInspection>>> {
  return await askLeader(cluster, `/v1/sources/${kind}/${namespace}/${name}`, sourceInspectionSchema);
}

/** Asks the leader about one workload. @throws KubeError */
export async function askWorkload(
  cluster: Pick<Cluster, 'ask'>,
  { kind, namespace = '', name }: Asked,
): Promise<Told<Tolerant<WorkloadInspection>>> {
  return await askLeader(cluster, `/v1/workloads/${kind}/${namespace}/${name}`, workloadInspectionSchema);
}
