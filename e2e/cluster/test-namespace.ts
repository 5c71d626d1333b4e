import { namespace as namespaceObject, configMap, fromConfigMap, statefulSet } from '../apiserver/cluster';
import { merge, type Answer } from '../apiserver/contract/contract-client';
import { stringAt } from '../apiserver/json';
import type { KubeObject, ObjectInput } from '../apiserver/objects';
import { collectionPath, isKind, objectPath, type Kind } from '../compat/object-paths';
import { NotWorthPolling, pollUntil, type PollOptions } from '../control-plane/poll';
import type { ClusterUnderTest } from '../webhook/cluster-under-test';

/** Long, because processes share two cores with the control plane and everything else on the machine. */
export const patient = { timeoutMs: 90_000 } as const;

export const auto = { 'reloader.stakater.com/auto': 'true' };
export const baselineKey = 'reroll.dev/baseline';
const bystander = 'bystander';

/** One namespace, where a test creates, changes and reads objects. */
export class TestNamespace {
  readonly name: string;
  readonly #cluster: ClusterUnderTest;
  #changes = 0;

  static async create(
    cluster: ClusterUnderTest,
    name: string,
    labels: Readonly<Record<string, string>> = {},
  ): Promise<TestNamespace> {
    checked(await cluster.admin.post(collectionPath('Namespace'), namespaceObject(name, { labels })));
    return new TestNamespace(cluster, name);
  }

  constructor(cluster: ClusterUnderTest, name: string) {
    this.#cluster = cluster;
    this.name = name;
  }

  async create(object: ObjectInput): Promise<KubeObject> {
    const metadata = { ...object.metadata, namespace: this.name };
    return checked(
      await this.#cluster.admin.post(collectionPath(kindOf(object), this.name), { ...object, metadata }),
    ) as KubeObject;
  }

  async stored(kind: Kind, name: string): Promise<KubeObject> {
    return checked(await this.#cluster.admin.get(objectPath(kind, this.name, name))) as KubeObject;
  }

  async all(kind: Kind): Promise<readonly KubeObject[]> {
    const { items } = checked(await this.#cluster.admin.get(collectionPath(kind, this.name)));
    return items as readonly KubeObject[];
  }

  async patch(kind: Kind, name: string, body: object): Promise<void> {
    checked(await this.#cluster.admin.patch(objectPath(kind, this.name, name), merge, body));
  }

  /** Deletes an object and resolves once it is gone. */
  async delete(kind: Kind, name: string): Promise<void> {
    const path = objectPath(kind, this.name, name);
    checked(await this.#cluster.admin.delete(path, { propagationPolicy: 'Background' }));
    await pollUntil(
      `${kind} ${name} to be gone`,
      async () => ((await this.#cluster.admin.get(path)).status === 404 ? true : undefined),
      patient,
    );
  }

  /** Changes a ConfigMap. */
  async paint(configMapName: string, color: string): Promise<void> {
    await this.patch('ConfigMap', configMapName, { data: { color } });
  }

  /** Creates a ConfigMap and a StatefulSet of the same name that uses it. */
  async createApp(name: string, annotations: Readonly<Record<string, string>> = auto): Promise<void> {
    await this.create(configMap({ name, data: { color: 'red' } }));
    await this.create(statefulSet({ name, annotations, envFrom: [fromConfigMap(name)] }));
  }

  /** Resolves with the workload's baseline, once it has one. */
  async adopted(kind: Kind, name: string): Promise<string> {
    return await pollUntil(
      `a baseline on ${kind} ${name}`,
      async () => (await this.stored(kind, name)).metadata.annotations?.[baselineKey],
      patient,
    );
  }

  /** Restarts of a StatefulSet, whose generation counts changes of its spec; a Deployment's counts annotations too. */
  async restarts(name: string): Promise<number> {
    return ((await this.stored('StatefulSet', name)).metadata.generation ?? 1) - 1;
  }

  /** Resolves once a StatefulSet was restarted this many times. @throws Error if it was restarted more often */
  async restarted(name: string, times: number, options: PollOptions = patient): Promise<void> {
    await pollUntil(
      `restart ${String(times)} of ${name}`,
      async () => {
        const restarts = await this.restarts(name);
        if (restarts > times) throw new NotWorthPolling(`${name} was restarted ${String(restarts)} times`);
        return restarts === times ? true : undefined;
      },
      options,
    );
  }

  /**
   * Changes the source of a bystander and resolves once that has been restarted: by then, everything due for earlier
   * changes has been done.
   */
  async laterChangeAnswered(): Promise<void> {
    this.#changes++;
    if (this.#changes === 1) {
      await this.create(configMap({ name: bystander, labels: { reload: 'yes' }, data: { color: 'red' } }));
      await this.create(
        statefulSet({ name: bystander, annotations: auto, envFrom: [fromConfigMap(bystander)], replicas: 0 }),
      );
      await this.adopted('StatefulSet', bystander);
    }
    await this.paint(bystander, `color ${String(this.#changes)}`);
    await this.restarted(bystander, this.#changes);
  }

  /** Resolves with the first Event that contains this text, once there is one. */
  async eventWith(text: string): Promise<string> {
    return await pollUntil(
      `an Event with "${text}"`,
      async () => (await this.events()).find((event) => event.includes(text)),
      patient,
    );
  }

  /** Reroll's Events, as `REASON NAME: MESSAGE`. */
  async events(): Promise<readonly string[]> {
    return (await this.all('Event')).flatMap((event) => {
      const [reason = '', message = ''] = [stringAt(event, 'reason'), stringAt(event, 'message')];
      const name = stringAt(event, 'involvedObject', 'name') ?? '';
      return /^(Reload|RestartsStopped|Roll)/.test(reason) ? [`${reason} ${name}: ${message}`] : [];
    });
  }
}

function kindOf({ kind }: ObjectInput): Kind {
  if (!isKind(kind)) throw new Error(`${kind} is not among the kinds of object-paths.ts`);
  return kind;
}

function checked({ status, body }: Answer): Answer['body'] {
  if (status >= 300) throw new Error(`answered by ${String(status)}: ${stringAt(body, 'message') ?? ''}`);
  return body;
}
