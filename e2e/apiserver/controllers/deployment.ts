import type { ApiServer } from '../api-server';
import {
  numberAt,
  objectAt,
  sameJson,
  stringAt,
  valueAt,
  textOf,
  withValueAt,
  without,
  type JsonObject,
} from '../json';
import { type KubeObject, timestamp } from '../objects';
import { safeHash } from '../object-names';
import { deploymentKind, replicaSetKind } from '../resources';
import { type Controller, ownOrControllerKey } from './controller';
import { WorkloadClient } from './workload-client';

const hashLabel = 'pod-template-hash';
const revisionAnnotation = 'deployment.kubernetes.io/revision';
const desiredAnnotation = 'deployment.kubernetes.io/desired-replicas';
const maxAnnotation = 'deployment.kubernetes.io/max-replicas';
/** Deployment annotations that are not copied to its ReplicaSets. All others are. */
const notCopied = [
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  desiredAnnotation,
  maxAnnotation,
];

/** Rolls ReplicaSets like k8s.io/kubernetes/pkg/controller/deployment, without deadlines and proportional scaling. */
export class DeploymentController implements Controller {
  readonly name = 'deployment-controller';
  readonly #server: ApiServer;
  readonly #client: WorkloadClient;

  constructor(server: ApiServer) {
    this.#server = server;
    this.#client = new WorkloadClient(server, this.name);
  }

  keyFor = ownOrControllerKey.bind(undefined, deploymentKind);

  async reconcile(key: string): Promise<void> {
    const deployment = this.#client.live(deploymentKind, key);
    if (deployment === undefined) return;
    if (objectAt(deployment, 'spec')['paused'] !== true) await this.#roll(deployment);
    await this.#updateStatus(deployment);
  }

  async #roll(deployment: KubeObject): Promise<void> {
    const sets = this.#client.controlledBy(deployment, replicaSetKind);
    const current = sets.find((set) => hasTemplate(set, deployment));
    const old = sets.filter((set) => set !== current);
    if (isRecreate(deployment)) {
      await this.#scaleAll(old, 0);
      if (old.some((set) => total(set) > 0)) return;
    }
    const newest = current ?? (await this.#createReplicaSet(deployment, revisionAfter(old)));
    if (newest === undefined) return;
    await this.#annotate(newest, annotationsOf(deployment, Math.max(revisionOf(newest), revisionAfter(old))));
    await this.#scale(newest, scaleUpTo(deployment, newest, old));
    await this.#scaleDown(deployment);
    await this.#cleanUp(deployment, old);
  }

  async #createReplicaSet(deployment: KubeObject, revision: number): Promise<KubeObject | undefined> {
    const template = objectAt(deployment, 'spec', 'template');
    const hash = safeHash(JSON.stringify(template));
    const labelled = withValueAt(template, ['metadata', 'labels', hashLabel], hash);
    const name = `${deployment.metadata.name}-${hash}`;
    return await this.#client.create(replicaSetKind, deployment, {
      metadata: {
        name,
        labels: objectAt(labelled, 'metadata', 'labels'),
        annotations: annotationsOf(deployment, revision),
      },
      spec: {
        replicas: isRecreate(deployment) ? desired(deployment) : 0,
        selector: withValueAt(objectAt(deployment, 'spec', 'selector'), ['matchLabels', hashLabel], hash),
        template: labelled,
      },
    });
  }

  /**
   * Scales down old ReplicaSets as far as enough pods stay available. It counts `spec.replicas`, not only the status:
   * the status lags behind the last step, and relying on it alone would take the same pods down twice.
   */
  async #scaleDown(deployment: KubeObject): Promise<void> {
    if (isRecreate(deployment)) return;
    const sets = this.#client.controlledBy(deployment, replicaSetKind);
    const unready = sum(
      sets.filter((set) => hasTemplate(set, deployment)),
      (set) => Math.max(0, specReplicas(set) - available(set)),
    );
    const minAvailable = desired(deployment) - limits(deployment).unavailable;
    let spare = Math.max(0, sum(sets, specReplicas) - minAvailable - unready);
    for (const set of sets.filter((each) => !hasTemplate(each, deployment))) {
      const fewer = Math.min(specReplicas(set), spare);
      await this.#scale(set, specReplicas(set) - fewer);
      spare -= fewer;
    }
  }

  async #cleanUp(deployment: KubeObject, old: readonly KubeObject[]): Promise<void> {
    const limit = numberAt(deployment, 'spec', 'revisionHistoryLimit') ?? 10;
    const idle = old.filter((set) => specReplicas(set) === 0 && total(set) === 0);
    idle.sort((left, right) => revisionOf(left) - revisionOf(right));
    for (const set of idle.slice(0, Math.max(0, idle.length - limit))) await this.#client.delete(replicaSetKind, set);
  }

  async #updateStatus(deployment: KubeObject): Promise<void> {
    const sets = this.#client.controlledBy(deployment, replicaSetKind);
    const newest = sets.find((set) => hasTemplate(set, deployment));
    const replicas = sum(sets, total);
    const availableReplicas = sum(sets, available);
    const unavailable = Math.max(0, desired(deployment) - availableReplicas);
    const updated = newest === undefined ? 0 : total(newest);
    const done = updated === desired(deployment) && replicas === updated && availableReplicas >= updated;
    const enough = availableReplicas >= desired(deployment) - limits(deployment).unavailable;
    const counts = {
      replicas,
      updatedReplicas: updated,
      readyReplicas: sum(sets, (set) => numberAt(set, 'status', 'readyReplicas') ?? 0),
      availableReplicas,
      unavailableReplicas: unavailable,
    };
    const { generation = 1 } = deployment.metadata;
    const status = {
      observedGeneration: generation,
      ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
      conditions: this.#conditions(deployment, [
        ['Available', enough ? 'True' : 'False', enough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable'],
        ['Progressing', 'True', done ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated'],
      ]),
    };
    const revision = newest?.metadata.annotations?.[revisionAnnotation];
    const annotations = revision === undefined ? {} : { [revisionAnnotation]: revision };
    const merged = {
      ...this.#server.store.get(deploymentKind, keyOf(deployment))?.metadata.annotations,
      ...annotations,
    };
    await this.#client.updateStatus(deploymentKind, deployment, status, merged);
  }

  #conditions(
    deployment: KubeObject,
    wanted: readonly (readonly [type: string, status: string, reason: string])[],
  ): JsonObject[] {
    const now = timestamp(this.#server.clock.nowMs());
    const present = valueAt(deployment, 'status', 'conditions');
    return wanted.map(([type, status, reason]) => {
      const before = Array.isArray(present) ? present.find((one) => stringAt(one, 'type') === type) : undefined;
      if (before !== undefined && stringAt(before, 'reason') === reason) return objectAt(before);
      return { type, status, reason, message: reason, lastUpdateTime: now, lastTransitionTime: now };
    });
  }

  async #scaleAll(sets: readonly KubeObject[], replicas: number): Promise<void> {
    for (const set of sets) await this.#scale(set, replicas);
  }

  async #scale(set: KubeObject, replicas: number): Promise<void> {
    if (specReplicas(set) === replicas) return;
    await this.#client.update(replicaSetKind, set, (latest) => withValueAt(latest, ['spec', 'replicas'], replicas));
  }

  async #annotate(set: KubeObject, annotations: JsonObject): Promise<void> {
    const merged = { ...set.metadata.annotations, ...annotations };
    if (sameJson(merged, set.metadata.annotations)) return;
    await this.#client.update(replicaSetKind, set, (latest) =>
      withValueAt(latest, ['metadata', 'annotations'], merged),
    );
  }
}

function annotationsOf(deployment: KubeObject, revision: number): JsonObject {
  return {
    ...without(deployment.metadata.annotations ?? {}, ...notCopied),
    [revisionAnnotation]: String(revision),
    [desiredAnnotation]: String(desired(deployment)),
    [maxAnnotation]: String(desired(deployment) + limits(deployment).surge),
  };
}

function hasTemplate(set: KubeObject, deployment: KubeObject): boolean {
  const template = objectAt(set, 'spec', 'template');
  const labels = without(objectAt(template, 'metadata', 'labels'), hashLabel);
  const plain = withValueAt(template, ['metadata', 'labels'], labels);
  return sameJson(
    plain,
    withValueAt(objectAt(deployment, 'spec', 'template'), ['metadata', 'labels'], templateLabels(deployment)),
  );
}

function templateLabels(deployment: KubeObject): JsonObject {
  return objectAt(deployment, 'spec', 'template', 'metadata', 'labels');
}

function scaleUpTo(deployment: KubeObject, newest: KubeObject, old: readonly KubeObject[]): number {
  if (isRecreate(deployment)) return desired(deployment);
  const room = desired(deployment) + limits(deployment).surge - sum(old, specReplicas);
  const wanted = Math.min(desired(deployment), Math.max(specReplicas(newest), room));
  return old.every((set) => specReplicas(set) === 0) ? desired(deployment) : wanted;
}

function limits(deployment: KubeObject): { readonly surge: number; readonly unavailable: number } {
  if (isRecreate(deployment)) return { surge: 0, unavailable: desired(deployment) };
  const rolling = objectAt(deployment, 'spec', 'strategy', 'rollingUpdate');
  const count = desired(deployment);
  const surge = resolve(rolling['maxSurge'], count, Math.ceil);
  const unavailable = resolve(rolling['maxUnavailable'], count, Math.floor);
  // With both at zero, the rollout could never progress.
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

function resolve(value: JsonObject[string], count: number, round: (value: number) => number): number {
  if (typeof value === 'number') return value;
  return round((Number.parseInt(textOf(value), 10) / 100) * count) || 0;
}

function isRecreate(deployment: KubeObject): boolean {
  return stringAt(deployment, 'spec', 'strategy', 'type') === 'Recreate';
}

function revisionOf(set: KubeObject): number {
  return Number(set.metadata.annotations?.[revisionAnnotation] ?? '0');
}

function revisionAfter(old: readonly KubeObject[]): number {
  return Math.max(0, ...old.map(revisionOf)) + 1;
}

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;
const desired = (deployment: KubeObject): number => numberAt(deployment, 'spec', 'replicas') ?? 1;
const specReplicas = (set: KubeObject): number => numberAt(set, 'spec', 'replicas') ?? 0;
const total = (set: KubeObject): number => numberAt(set, 'status', 'replicas') ?? 0;
const available = (set: KubeObject): number => numberAt(set, 'status', 'availableReplicas') ?? 0;
const sum = (sets: readonly KubeObject[], of: (set: KubeObject) => number): number =>
  sets.reduce((count, set) => count + of(set), 0);
