import type { ApiServer } from '../api-server';
import { arrayAt, objectAt, sameJson, stringAt, type JsonObject } from '../json';
import { type KubeObject, ownerReference } from '../objects';
import { writeBy } from '../registry';
import { podKind, type ResourceKind } from '../resources';
import { StatusError } from '../status';

/** Reads and writes for controllers. Each controller writes as its own service account. */
export class WorkloadClient {
  readonly #server: ApiServer;
  readonly #user: string;

  constructor(server: ApiServer, controllerName: string) {
    this.#server = server;
    this.#user = `system:serviceaccount:kube-system:${controllerName}`;
  }

  /** The object, or undefined if it is deleted or being deleted. */
  live(kind: ResourceKind, key: string): KubeObject | undefined {
    const object = this.#server.store.get(kind, key);
    return object?.metadata.deletionTimestamp === undefined ? object : undefined;
  }

  /** Objects of a kind that `owner` owns, sorted by name. */
  controlledBy(owner: KubeObject, kind: ResourceKind): readonly KubeObject[] {
    return [...this.#server.children.of(owner.metadata.uid, kind)].sort((left, right) =>
      left.metadata.name < right.metadata.name ? -1 : 1,
    );
  }

  async create(kind: ResourceKind, owner: KubeObject, body: JsonObject): Promise<KubeObject | undefined> {
    const metadata = { ...objectAt(body, 'metadata'), ownerReferences: [ownerReference(owner)] };
    const context = writeBy(this.#user, 'kube-controller-manager', 'create');
    return await orNone(this.#server.registry.create(context, kind, owner.metadata.namespace, { ...body, metadata }));
  }

  /** Creates a pod from a template. `metadata` contains its name or generateName. */
  async createPod(owner: KubeObject, template: JsonObject, metadata: JsonObject, spec: JsonObject = {}): Promise<void> {
    const own = objectAt(template, 'metadata');
    const { labels, ...rest } = metadata;
    await this.create(podKind, owner, {
      metadata: { ...own, ...rest, labels: { ...objectAt(own, 'labels'), ...objectAt(labels) } },
      spec: { ...objectAt(template, 'spec'), ...spec },
    });
  }

  async update(kind: ResourceKind, object: KubeObject, change: (current: KubeObject) => JsonObject): Promise<void> {
    const { name, namespace } = object.metadata;
    const context = writeBy(this.#user, 'kube-controller-manager', 'update');
    await orNone(
      this.#server.registry.update(context, kind, namespace, name, (current) => ({ object: change(current) })),
    );
  }

  /** Writes a status if it differs. `annotations` go with it, such as the Deployment controller's revision. */
  async updateStatus(
    kind: ResourceKind,
    object: KubeObject,
    status: JsonObject,
    annotations?: Readonly<Record<string, string>>,
  ): Promise<void> {
    const current = this.#server.store.get(kind, `${object.metadata.namespace ?? ''}/${object.metadata.name}`);
    const wanted = annotations ?? current?.metadata.annotations;
    if (current === undefined) return;
    if (sameJson(current['status'], status) && sameJson(current.metadata.annotations, wanted)) return;
    const { name, namespace } = object.metadata;
    const context = writeBy(this.#user, 'kube-controller-manager', 'update', 'status');
    const change = (latest: KubeObject): JsonObject => ({
      ...latest,
      status,
      metadata: { ...latest.metadata, annotations: wanted },
    });
    await orNone(
      this.#server.registry.update(context, kind, namespace, name, (latest) => ({ object: change(latest) })),
    );
  }

  async delete(kind: ResourceKind, object: KubeObject): Promise<void> {
    const { name, namespace, uid } = object.metadata;
    const context = writeBy(this.#user, 'kube-controller-manager', 'delete');
    const options = { propagationPolicy: 'Background', preconditions: { uid } } as const;
    await orNone(this.#server.registry.delete(context, kind, namespace, name, options));
  }
}

export function isReady(pod: KubeObject): boolean {
  return arrayAt(pod, 'status', 'conditions').some(
    (condition) => stringAt(condition, 'type') === 'Ready' && stringAt(condition, 'status') === 'True',
  );
}

/** Undefined if the object was deleted or created meanwhile: the next reconcile sees that. Throws all other errors. */
async function orNone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StatusError && (error.code === 404 || error.reason === 'AlreadyExists')) return undefined;
    throw error;
  }
}
