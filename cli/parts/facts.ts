import { errorMessage } from '../../shared/domain/errors';
import { workloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import { healthInspectionSchema, type HealthInspection } from '../../shared/domain/protocol/health-inspection';
import type { Tolerant } from '../../shared/domain/protocol/tolerant-schema';
import { listObjects, type KubeObject } from '../../shared/kube/client/objects';
import { ConnectionError } from '../../shared/kube/errors';
import { LeaseStore, type LeaseRecord } from '../../shared/kube/lease/lease-record';
import {
  mutatingWebhookConfigurations,
  pods,
  validatingWebhookConfigurations,
  type Resource,
} from '../../shared/kube/resource';
import type { Clock } from '../../shared/runtime/clock';
import { serviceOptionTable } from '../../shared/runtime/options/process-options';
import { askLeader, type Told } from '../cluster/ask-leader';
import { askOn } from '../cluster/ask-on';
import type { Cluster } from '../cluster/cluster';
import { answerWithin } from '../cluster/answer-within';
import { installOf, type Install } from '../evidence/install';
import { look, valueOf, type Seen } from '../evidence/seen';
import { once } from './once';
import { componentLabel, components, flagOf, partOf, type Component, type Part } from './part';
import { podOf, type Pod } from './pod';
import { webhooksOf, type HookPath, type RegisteredWebhook } from './registered-webhook';

export interface FactsOptions {
  readonly cluster: Cluster;
  /** The clock of this machine. */
  readonly clock: Clock;
  readonly rerollNamespace: string;
  readonly leaseName: string;
  readonly timeoutMs: number;
}

/** What a pod of the webhook says in its metrics. */
export interface PodMetrics {
  readonly pod: string;
  readonly text: string;
}

const probePort = 9090;

/** What can be read of an install. Each thing is read once, and only if a check asks for it. */
export class Facts {
  readonly options: FactsOptions;
  readonly lease: () => Promise<Seen<LeaseRecord>>;
  readonly health: () => Promise<Told<Tolerant<HealthInspection>>>;
  readonly parts: () => Promise<Seen<readonly Part[]>>;
  readonly pods: () => Promise<Seen<readonly Pod[]>>;
  readonly registered: () => Promise<Seen<readonly RegisteredWebhook[]>>;

  readonly #remembered = new Map<unknown, Promise<unknown>>();

  constructor(options: FactsOptions) {
    this.options = options;
    const { cluster, rerollNamespace, leaseName, timeoutMs } = options;
    const { client } = cluster;
    this.lease = once(async () => {
      const seen = await look(new LeaseStore(client, rerollNamespace, leaseName).read({ timeoutMs }));
      if (seen.is !== 'there') return seen;
      return seen.value ? { is: 'there', value: seen.value.record } : { is: 'absent' };
    });
    this.health = once(async () => await askLeader(cluster, '/v1/health', healthInspectionSchema));
    this.parts = once(async () => {
      const seen = await this.list(workloadKind('Deployment').resource, rerollNamespace, ofReroll);
      return mapSeen(seen, (objects) => objects.flatMap((object) => partOf(object) ?? []));
    });
    this.pods = once(async () => mapSeen(await this.list(pods, rerollNamespace), (objects) => objects.map(podOf)));
    this.registered = once(async () => await this.#readRegistered());
  }

  /** What needs several requests and serves several checks: read once too. */
  async remembered<T>(read: (facts: Facts) => Promise<T>): Promise<T> {
    const reading = (this.#remembered.get(read) as Promise<T> | undefined) ?? read(this);
    this.#remembered.set(read, reading);
    return await reading;
  }

  /** The API server's time. */
  nowMs(): number {
    return this.options.cluster.clock.nowMs();
  }

  async list(
    resource: Resource,
    namespace: string | undefined,
    labelSelector?: string,
  ): Promise<Seen<readonly KubeObject[]>> {
    const { cluster, timeoutMs } = this.options;
    return await look(
      listObjects(cluster.client, resource, namespace, {
        timeoutMs,
        ...(labelSelector !== undefined && { labelSelector }),
      }),
    );
  }

  async part(component: Component): Promise<Seen<Part>> {
    const parts = await this.parts();
    if (parts.is !== 'there') return parts;
    const value = parts.value.find((part) => part.component === component);
    return value ? { is: 'there', value } : { is: 'absent' };
  }

  /** The flags of the reconciler. */
  async install(): Promise<Install> {
    const part = valueOf(await this.part('reconciler'));
    return installOf(part?.object ?? {});
  }

  /** The name of the Service that API servers call. */
  async webhookService(): Promise<string> {
    const row = serviceOptionTable.webhookService;
    const part = valueOf(await this.part('webhook')) ?? valueOf(await this.part('certs'));
    return (part && flagOf(part, row)) ?? row.default;
  }

  async readyWebhookPods(): Promise<Seen<readonly Pod[]>> {
    return mapSeen(await this.pods(), (all) => all.filter((pod) => pod.component === 'webhook' && pod.isReady));
  }

  /** The metrics of each ready pod of the webhook, now. A pod that does not answer hides them, as a missing right does. */
  async webhookMetrics(): Promise<Seen<readonly PodMetrics[]>> {
    const ready = await this.readyWebhookPods();
    if (ready.is !== 'there') return ready;
    try {
      return await look(Promise.all(ready.value.map(async (pod) => await this.#metricsOf(pod))));
    } catch (thrown) {
      return { is: 'hidden', right: errorMessage(thrown) };
    }
  }

  async #metricsOf({ name: pod, ports }: Pod): Promise<PodMetrics> {
    const port = ports['http'] ?? probePort;
    const connection = await this.options.cluster.forward(pod, port);
    try {
      const { text } = await this.within(askOn(connection, '/metrics'));
      return { pod, text };
    } catch (thrown) {
      throw new ConnectionError(`port ${port} of the pod ${pod} does not answer: ${errorMessage(thrown)}`, thrown);
    } finally {
      connection.destroy();
    }
  }

  /** Gives up after the time that a request may take. */
  async within<T>(work: Promise<T>): Promise<T> {
    const { clock, timeoutMs } = this.options;
    return await answerWithin(clock, timeoutMs, work);
  }

  async #readRegistered(): Promise<Seen<readonly RegisteredWebhook[]>> {
    const target = { namespace: this.options.rerollNamespace, service: await this.webhookService() };
    const found: RegisteredWebhook[] = [];
    for (const [kind, hook, resource] of configurations) {
      const seen = await this.list(resource, undefined);
      if (seen.is === 'hidden') return seen;
      for (const object of valueOf(seen) ?? []) found.push(...webhooksOf(kind, hook, object, target));
    }
    return { is: 'there', value: found };
  }
}

const ofReroll = `${componentLabel} in (${components.join(',')})`;

const configurations: readonly (readonly [kind: string, hook: HookPath, resource: Resource])[] = [
  ['ValidatingWebhookConfiguration', 'validate', validatingWebhookConfigurations],
  ['MutatingWebhookConfiguration', 'mutate', mutatingWebhookConfigurations],
];

function mapSeen<From, To>(seen: Seen<From>, map: (value: From) => To): Seen<To> {
  return seen.is === 'there' ? { is: 'there', value: map(seen.value) } : seen;
}
