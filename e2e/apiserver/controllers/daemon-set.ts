import type { ApiServer } from '../api-server';
import { numberAt, objectAt, stringAt } from '../json';
import { safeHash } from '../object-names';
import { daemonSetKind, podKind } from '../resources';
import { type Controller, ownOrControllerKey } from './controller';
import { isReady, WorkloadClient } from './workload-client';

/** The nodes of the simulated cluster. */
export const nodeNames: readonly string[] = ['node-a', 'node-b'];

const revisionLabel = 'controller-revision-hash';

/** Keeps one pod on each node. Replaces outdated pods one per reconcile, within `maxUnavailable` (default 1). */
export class DaemonSetController implements Controller {
  readonly name = 'daemon-set-controller';
  readonly #client: WorkloadClient;

  constructor(server: ApiServer) {
    this.#client = new WorkloadClient(server, this.name);
  }

  keyFor = ownOrControllerKey.bind(undefined, daemonSetKind);

  async reconcile(key: string): Promise<void> {
    const set = this.#client.live(daemonSetKind, key);
    if (set === undefined) return;
    const template = objectAt(set, 'spec', 'template');
    const revision = safeHash(JSON.stringify(template));
    const pods = this.#client.controlledBy(set, podKind);
    const generateName = `${set.metadata.name}-`;
    for (const nodeName of nodeNames) {
      if (pods.some((pod) => stringAt(pod, 'spec', 'nodeName') === nodeName)) continue;
      await this.#client.createPod(
        set,
        template,
        { generateName, labels: { [revisionLabel]: revision } },
        { nodeName },
      );
    }
    const old = pods.filter((pod) => pod.metadata.labels?.[revisionLabel] !== revision);
    const unavailable = nodeNames.length - pods.filter(isReady).length;
    const limit = numberAt(set, 'spec', 'updateStrategy', 'rollingUpdate', 'maxUnavailable') ?? 1;
    const doomed = old.find((pod) => !isReady(pod)) ?? (unavailable < limit ? old[0] : undefined);
    if (doomed !== undefined && stringAt(set, 'spec', 'updateStrategy', 'type') !== 'OnDelete') {
      await this.#client.delete(podKind, doomed);
    }

    const present = this.#client.controlledBy(set, podKind);
    const ready = present.filter(isReady).length;
    const updated = present.filter((pod) => pod.metadata.labels?.[revisionLabel] === revision).length;
    const missing = nodeNames.length - ready;
    const { generation = 1 } = set.metadata;
    await this.#client.updateStatus(daemonSetKind, set, {
      currentNumberScheduled: present.length,
      numberMisscheduled: 0,
      desiredNumberScheduled: nodeNames.length,
      numberReady: ready,
      observedGeneration: generation,
      ...(updated > 0 ? { updatedNumberScheduled: updated } : {}),
      ...(ready > 0 ? { numberAvailable: ready } : {}),
      ...(missing > 0 ? { numberUnavailable: missing } : {}),
    });
  }
}
