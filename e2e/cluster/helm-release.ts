import { parseBaseline } from '../../shared/domain/baseline/baseline';
import type { Recorded } from '../../shared/domain/baseline/recorded';
import { ownAnnotations } from '../../shared/domain/annotations/annotations';
import { absent } from '../../shared/domain/sources/content-digest';
import { sourceId } from '../../shared/domain/sources/source';
import { helm } from '../control-plane/helm';
import { pollUntil } from '../control-plane/poll';
import { namespace, type RerollCluster } from '../webhook/reroll-cluster';
import { replicas } from './helm-chart';

interface Metadata {
  readonly uid: string;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly generation: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly { readonly uid: string }[];
}

interface StoredObject {
  readonly metadata: Metadata;
}

interface DeploymentObject extends StoredObject {
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly { readonly env?: unknown }[] } };
  };
  readonly status: Readonly<Record<string, number | undefined>>;
}

/** The outcome of a change of a release. */
export interface Outcome {
  readonly newReplicaSets: number;
  /** Pods from before the change that still exist. */
  readonly oldPods: number;
  /** What the baseline records for the ConfigMap. */
  readonly recorded: Recorded;
  /** Whether a restart marker was written to the pod template. */
  readonly marked: boolean;
}

/** A chart of `helm-chart.ts`, installed by the real Helm; the release and its two objects share one name. */
export class HelmRelease {
  readonly name: string;
  readonly #cluster: RerollCluster;
  readonly #chart: string;

  constructor(cluster: RerollCluster, name: string, chart: string) {
    this.#cluster = cluster;
    this.name = name;
    this.#chart = chart;
  }

  /** Installs the release, or upgrades it to these values. */
  async upgrade(content: string, image: string): Promise<Outcome> {
    const values = `--set-string=content=${content},image=${image}`;
    return await this.#answered('upgrade', '--install', this.name, this.#chart, values);
  }

  /** Returns to the values before the last upgrade. */
  async rollback(): Promise<Outcome> {
    return await this.#answered('rollback', this.name);
  }

  async source(): Promise<StoredObject> {
    return await this.#get(`/api/v1/namespaces/${namespace}/configmaps/${this.name}`);
  }

  /** All ReplicaSets that the Deployment has had: none is removed. */
  async replicaSets(): Promise<readonly StoredObject[]> {
    const { uid } = (await this.#workload()).metadata;
    const all = await this.#list('/apis/apps/v1', 'replicasets');
    return all.filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid) === true);
  }

  /** The ReplicaSet of the newest revision, which has the pods. */
  async currentReplicaSet(): Promise<StoredObject> {
    const revision = ({ metadata }: StoredObject): number =>
      Number(metadata.annotations?.['deployment.kubernetes.io/revision']);
    return (await this.replicaSets()).reduce((newest, each) => (revision(each) > revision(newest) ? each : newest));
  }

  /** Runs Helm, and resolves once the baseline records the change and every pod has the current template. */
  async #answered(...args: readonly string[]): Promise<Outcome> {
    const isFirst = args.includes('--install') && !(await this.#exists());
    const before = isFirst ? nothing : await this.#state();
    await helm([...args, '--namespace', namespace], this.#cluster.plane.adminKubeconfigPath);
    const recorded = await pollUntil(`a release of ${this.name} to be answered`, async () => {
      const workload = await this.#workload();
      const now = this.#recordedIn(workload);
      return now !== absent && now !== before.recorded && isRolledOut(workload) ? now : undefined;
    });
    const after = await this.#state();
    return {
      newReplicaSets: after.replicaSets.size - before.replicaSets.size,
      oldPods: [...after.pods].filter((uid) => before.pods.has(uid)).length,
      recorded: recorded,
      marked: after.env !== before.env,
    };
  }

  async #state() {
    const [workload, replicaSets, pods] = [
      await this.#workload(),
      await this.replicaSets(),
      await this.#list('/api/v1', 'pods'),
    ];
    const own = pods.filter(
      ({ metadata }) => metadata.labels?.['app'] === this.name && metadata.deletionTimestamp === undefined,
    );
    return {
      recorded: this.#recordedIn(workload),
      env: JSON.stringify(workload.spec.template.spec.containers[0]?.env),
      replicaSets: uidsOf(replicaSets),
      pods: uidsOf(own),
    };
  }

  #recordedIn({ metadata }: DeploymentObject): Recorded | undefined {
    const text = metadata.annotations?.[ownAnnotations.baseline];
    return text === undefined
      ? undefined
      : parseBaseline(text).sources.get(sourceId({ kind: 'ConfigMap', name: this.name }));
  }

  async #workload(): Promise<DeploymentObject> {
    return await this.#get(this.#workloadPath());
  }

  async #exists(): Promise<boolean> {
    return (await this.#cluster.admin.get(this.#workloadPath())).status === 200;
  }

  #workloadPath(): string {
    return `/apis/apps/v1/namespaces/${namespace}/deployments/${this.name}`;
  }

  async #list(api: string, plural: string): Promise<readonly StoredObject[]> {
    return (await this.#get<{ readonly items: readonly StoredObject[] }>(`${api}/namespaces/${namespace}/${plural}`))
      .items;
  }

  async #get<T>(url: string): Promise<T> {
    const { status, body } = await this.#cluster.admin.get(url);
    if (status !== 200) throw new Error(`GET ${url}: ${String(status)}`);
    return body as T;
  }
}

const nothing = {
  ...{ recorded: undefined, env: undefined },
  ...{ replicaSets: new Set<string>(), pods: new Set<string>() },
};

function uidsOf(objects: readonly StoredObject[]): ReadonlySet<string> {
  return new Set(objects.map(({ metadata }) => metadata.uid));
}

function isRolledOut({ metadata, status }: DeploymentObject): boolean {
  const { observedGeneration, updatedReplicas, replicas: all } = status;
  return observedGeneration === metadata.generation && updatedReplicas === replicas && all === replicas;
}
