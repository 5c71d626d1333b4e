import type { ApiServer } from '../api-server';
import { numberAt, objectAt, stringAt } from '../json';
import type { KubeObject } from '../objects';
import { safeHash } from '../object-names';
import { podKind, statefulSetKind } from '../resources';
import { type Controller, ownOrControllerKey } from './controller';
import { isReady, WorkloadClient } from './workload-client';

const revisionLabel = 'controller-revision-hash';

/** Creates pods in order of their ordinals, and replaces them from the highest ordinal down. */
export class StatefulSetController implements Controller {
  readonly name = 'statefulset-controller';
  readonly #client: WorkloadClient;

  constructor(server: ApiServer) {
    this.#client = new WorkloadClient(server, this.name);
  }

  keyFor = ownOrControllerKey.bind(undefined, statefulSetKind);

  async reconcile(key: string): Promise<void> {
    const set = this.#client.live(statefulSetKind, key);
    if (set === undefined) return;
    const revision = revisionOf(set);
    await this.#step(set, revision);
    await this.#updateStatus(set, revision);
  }

  /** Takes one step. The write of that step triggers the next. */
  async #step(set: KubeObject, revision: string): Promise<void> {
    const pods = new Map(this.#client.controlledBy(set, podKind).map((pod) => [ordinalOf(pod), pod]));
    const wanted = numberAt(set, 'spec', 'replicas') ?? 1;
    const ordered = stringAt(set, 'spec', 'podManagementPolicy') !== 'Parallel';
    for (let ordinal = 0; ordinal < wanted; ordinal++) {
      const pod = pods.get(ordinal);
      if (pod === undefined) await this.#createPod(set, ordinal, revision);
      if (ordered && (pod === undefined || !isReady(pod))) return;
    }
    const surplus = [...pods.keys()].filter((ordinal) => ordinal >= wanted).sort((left, right) => right - left);
    for (const ordinal of surplus) {
      await this.#client.delete(podKind, pods.get(ordinal) as KubeObject);
      if (ordered) return;
    }
    if (stringAt(set, 'spec', 'updateStrategy', 'type') === 'OnDelete') return;
    const partition = numberAt(set, 'spec', 'updateStrategy', 'rollingUpdate', 'partition') ?? 0;
    for (let ordinal = wanted - 1; ordinal >= partition; ordinal--) {
      const pod = pods.get(ordinal);
      if (pod === undefined) return;
      if (pod.metadata.labels?.[revisionLabel] !== revision) {
        await this.#client.delete(podKind, pod);
        return;
      }
      if (!isReady(pod)) return;
    }
  }

  async #createPod(set: KubeObject, ordinal: number, revision: string): Promise<void> {
    const name = `${set.metadata.name}-${ordinal}`;
    const labels = {
      [revisionLabel]: revision,
      'statefulset.kubernetes.io/pod-name': name,
      'apps.kubernetes.io/pod-index': String(ordinal),
    };
    await this.#client.createPod(set, objectAt(set, 'spec', 'template'), { name, labels });
  }

  async #updateStatus(set: KubeObject, updateRevision: string): Promise<void> {
    const pods = this.#client.controlledBy(set, podKind);
    const ready = pods.filter(isReady).length;
    const updated = pods.filter((pod) => pod.metadata.labels?.[revisionLabel] === updateRevision);
    const done = updated.length === (numberAt(set, 'spec', 'replicas') ?? 1) && updated.every(isReady);
    const previous = stringAt(set, 'status', 'currentRevision') ?? updateRevision;
    const currentRevision = done ? updateRevision : previous;
    const { generation = 1 } = set.metadata;
    await this.#client.updateStatus(statefulSetKind, set, {
      observedGeneration: generation,
      replicas: pods.length,
      readyReplicas: ready,
      availableReplicas: ready,
      currentReplicas: pods.filter((pod) => pod.metadata.labels?.[revisionLabel] === currentRevision).length,
      updatedReplicas: updated.length,
      currentRevision,
      updateRevision,
      collisionCount: 0,
    });
  }
}

function revisionOf(set: KubeObject): string {
  return `${set.metadata.name}-${safeHash(JSON.stringify(objectAt(set, 'spec', 'template')))}`;
}

function ordinalOf(pod: KubeObject): number {
  return Number(/-(\d+)$/.exec(pod.metadata.name)?.[1] ?? '0');
}
