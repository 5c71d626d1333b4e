import type { ApiServer } from '../api-server';
import { numberAt, objectAt } from '../json';
import { podKind, replicaSetKind } from '../resources';
import { type Controller, ownOrControllerKey } from './controller';
import { isReady, WorkloadClient } from './workload-client';

/** Keeps the number of pods at the ReplicaSet's `spec.replicas`. */
export class ReplicaSetController implements Controller {
  readonly name = 'replicaset-controller';
  readonly #client: WorkloadClient;

  constructor(server: ApiServer) {
    this.#client = new WorkloadClient(server, this.name);
  }

  keyFor = ownOrControllerKey.bind(undefined, replicaSetKind);

  async reconcile(key: string): Promise<void> {
    const set = this.#client.live(replicaSetKind, key);
    if (set === undefined) return;
    const pods = this.#client.controlledBy(set, podKind);
    const wanted = numberAt(set, 'spec', 'replicas') ?? 1;
    const template = objectAt(set, 'spec', 'template');
    for (let count = pods.length; count < wanted; count++) {
      await this.#client.createPod(set, template, { generateName: `${set.metadata.name}-` });
    }
    // Delete pods that are not ready first: they serve nobody.
    const surplus = [...pods].sort((left, right) => Number(isReady(left)) - Number(isReady(right)));
    for (const pod of surplus.slice(0, Math.max(0, pods.length - wanted))) await this.#client.delete(podKind, pod);

    const present = this.#client.controlledBy(set, podKind);
    const ready = present.filter(isReady).length;
    const counts = { fullyLabeledReplicas: present.length, readyReplicas: ready, availableReplicas: ready };
    const positive = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
    const { generation = 1 } = set.metadata;
    await this.#client.updateStatus(replicaSetKind, set, {
      replicas: present.length,
      ...positive,
      observedGeneration: generation,
    });
  }
}
