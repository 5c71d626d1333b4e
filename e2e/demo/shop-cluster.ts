import path from 'node:path';
import { workloadKinds } from '../../shared/domain/kubernetes/workload-kinds';
import { systemClock } from '../../shared/runtime/clock';
import { systemRandom } from '../../shared/runtime/random';
import { ApiServer } from '../apiserver/api-server';
import { seed, seedNamespace } from '../apiserver/cluster';
import { Controllers } from '../apiserver/controllers/controllers';
import { startHttpsServer, type HttpsServer } from '../apiserver/https-server';
import { arrayAt, numberAt, objectAt, stringAt, withValueAt, type JsonObject } from '../apiserver/json';
import { controllerOf, type KubeObject, type ObjectInput } from '../apiserver/objects';
import { forwardTo } from '../apiserver/port-forward';
import { writeBy } from '../apiserver/registry';
import { customKind, leaseKind, podKind, type ResourceKind } from '../apiserver/resources';
import { storeKey, type WriteRecord } from '../apiserver/store';
import {
  ValidatingWebhooks,
  validatingWebhookConfigurationKind,
  type WebhookCall,
} from '../apiserver/validating-webhooks';
import { webhookConfiguration } from '../../webhook/registration/webhook-configuration';
import { shippedSecrets } from '../shipped-secrets';
import type { Source } from './reasons';
import { rerollPod, rerollPodName } from './reroll-pod';
import { namespace, shopObjects } from './shop';

/** The namespace of Reroll's own objects. */
export const ownNamespace = 'reroll';
/** The user that the reconciler acts as; this name identifies its writes in the API server's history. */
export const rerollUser = 'reroll';

/** The reconciler's default lease name. */
const leaseName = 'reroll';

/** The user who edits, and the field manager of the edits. */
export const person = { name: 'alice', tool: 'kubectl-edit' };

/** Names of Services in the manifests. */
export type ServiceName = 'reroll-webhook' | 'reroll-channel';

const endpointSliceKind = customKind({
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
});
const shipped = webhookConfiguration('validating', { namespace: ownNamespace, name: 'reroll-webhook' });
/**
 * The webhooks of deploy/webhook.yaml for sources only. For workloads, matchConditions avoid nearly all calls, but the
 * simulated server does not evaluate them.
 */
const registration = {
  ...shipped,
  webhooks: shipped.webhooks.filter(({ name }) => /^(?:configmaps|secrets)\./.test(name)),
};
const serviceLabel = 'kubernetes.io/service-name';

/** Fast enough for a demo and slow enough to be seen. */
const podTimes = { readyDelayMs: 250, jobDurationMs: 500 };

/** A simulated cluster with the shop in it, served over TLS. */
export class ShopCluster {
  readonly server: ApiServer;
  readonly controllers: Controllers;
  /** The API server's calls of the webhook, in order. */
  readonly webhookCalls: readonly WebhookCall[];
  readonly #https: HttpsServer;
  readonly #webhooks: ValidatingWebhooks;
  #inspectionPort: number | undefined;

  private constructor(
    server: ApiServer,
    https: HttpsServer,
    webhooks: ValidatingWebhooks,
    webhookCalls: readonly WebhookCall[],
  ) {
    this.server = server;
    this.controllers = new Controllers(server, podTimes);
    this.#https = https;
    this.#webhooks = webhooks;
    this.webhookCalls = webhookCalls;
  }

  static async open(): Promise<ShopCluster> {
    const webhookCalls: WebhookCall[] = [];
    const webhooks: ValidatingWebhooks = new ValidatingWebhooks({
      clock: systemClock,
      configurations: () => server.store.list(validatingWebhookConfigurationKind),
      portOf: (service) => portOf(server, service),
      onCall: (call) => webhookCalls.push(call),
    });
    const server: ApiServer = new ApiServer({
      ...{ clock: systemClock, random: systemRandom },
      customKinds: [endpointSliceKind, validatingWebhookConfigurationKind],
      admission: [webhooks],
    });
    seedNamespace(server, ownNamespace);
    seed(server, ...shippedSecrets(), ...shopObjects, rerollPod(ownNamespace), registration as object as ObjectInput);
    const https = await startHttpsServer(server, {
      upgrade: forwardTo((within, pod) =>
        within === ownNamespace && pod === rerollPodName ? cluster.#inspectionPort : undefined,
      ),
    });
    const cluster: ShopCluster = new ShopCluster(server, https, webhooks, webhookCalls);
    cluster.controllers.start();
    return cluster;
  }

  get url(): string {
    return this.#https.url;
  }

  /** Writes a kubeconfig for a user into a folder and returns its path. */
  async kubeconfig(dir: string, user: string): Promise<string> {
    // For a service account, only the last part of its name: `KUBECONFIG` separates paths by colons.
    const file = path.join(dir, `${user.split(':').at(-1) ?? user}.kubeconfig`);
    await this.#https.writeKubeconfig(file, user);
    return file;
  }

  /** Sets the port at which a Service of Reroll is reached. */
  setEndpoint(service: ServiceName, port: number): void {
    this.server.registry.seed(
      writeBy('system:endpoints', 'kube-controller-manager', 'update'),
      endpointSliceKind,
      ownNamespace,
      {
        metadata: { name: service, labels: { [serviceLabel]: service } },
        addressType: 'IPv4',
        ports: [{ name: 'https', port, protocol: 'TCP' }],
        endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
      },
    );
  }

  /** Sets the port at which the process in Reroll's pod answers questions. The API server forwards people there. */
  setInspectionPort(port: number): void {
    this.#inspectionPort = port;
  }

  /** Sets keys of a ConfigMap or Secret, as a person does with `kubectl edit`. */
  async edit({ kind, name }: Source, values: Readonly<Record<string, string>>): Promise<void> {
    const encode = (text: string): string => (kind === 'Secret' ? Buffer.from(text).toString('base64') : text);
    const encoded = Object.entries(values).map(([key, text]) => [key, encode(text)]);
    await this.#update(this.server.kindOf(kind), name, (object) => ({
      ...object,
      data: { ...objectAt(object, 'data'), ...Object.fromEntries(encoded) },
    }));
  }

  /** Labels a ConfigMap or Secret: its metadata changes and its data does not. */
  async label({ kind, name }: Source, label: string, value: string): Promise<void> {
    const change = (object: KubeObject): JsonObject => withValueAt(object, ['metadata', 'labels', label], value);
    await this.#update(this.server.kindOf(kind), name, change);
  }

  /** A workload, named like `Deployment web`, as it is stored. */
  workload(workload: string): KubeObject {
    const [kind = '', name = ''] = workload.split(' ');
    return this.server.registry.get(this.server.kindOf(kind), namespace, name);
  }

  /** Workloads of the shop, without the Jobs that a CronJob has created. */
  workloads(): readonly KubeObject[] {
    return workloadKinds
      .filter(({ optional }) => !optional)
      .flatMap(({ kind }) => [...this.server.store.list(this.server.kindOf(kind))])
      .filter((object) => object.metadata.namespace === namespace && controllerOf(object) === undefined);
  }

  /** A ConfigMap or Secret as it is stored. */
  source({ kind, name }: Source): KubeObject {
    return this.server.registry.get(this.server.kindOf(kind), namespace, name);
  }

  /** The pods with this `app` label. */
  podsOf(app: string): readonly KubeObject[] {
    return [...this.server.store.list(podKind)].filter(
      ({ metadata }) => metadata.namespace === namespace && metadata.labels?.['app'] === app,
    );
  }

  /** The newest write to an object of the shop. */
  lastWriteOf(kind: ResourceKind, name: string): WriteRecord | undefined {
    const key = storeKey(namespace, name);
    return this.server.store.records(kind).findLast((write) => write.key === key);
  }

  /** Whether nobody holds the reconciler's lease. */
  leaseIsFree(): boolean {
    const lease = this.server.store.get(leaseKind, storeKey(ownNamespace, leaseName));
    return (stringAt(lease, 'spec', 'holderIdentity') ?? '') === '';
  }

  async close(): Promise<void> {
    this.controllers.stop();
    this.#webhooks.close();
    await this.#https.close();
  }

  async #update(kind: ResourceKind, name: string, change: (object: KubeObject) => JsonObject): Promise<void> {
    const context = writeBy(person.name, person.tool, 'patch');
    await this.server.registry.update(context, kind, namespace, name, (object) => ({ object: change(object) }));
  }
}

function portOf(server: ApiServer, service: string): number | undefined {
  const slice = server.store.get(endpointSliceKind, storeKey(ownNamespace, service));
  return numberAt(arrayAt(slice, 'ports')[0], 'port');
}
