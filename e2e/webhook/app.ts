import { setTimeout as delay } from 'node:timers/promises';
import { configMap, deployment, fromConfigMap } from '../apiserver/cluster';
import { merge, type Answer, type ContractClient } from '../apiserver/contract/contract-client';
import { NotWorthPolling, pollUntil } from '../control-plane/poll';
import type { ClusterUnderTest } from './cluster-under-test';
import { defaultSettleMs, namespace } from './reroll-cluster';

interface EventList {
  readonly items: readonly { readonly message: string }[];
}

interface DeploymentObject {
  readonly metadata: { readonly generation: number; readonly annotations?: Readonly<Record<string, string>> };
}

/** A Deployment that uses a ConfigMap of the same name. */
export class App {
  readonly name: string;
  readonly #cluster: ClusterUnderTest;

  /** Resolves once a reconciler has recorded its baseline. */
  static async create(cluster: ClusterUnderTest, name: string): Promise<App> {
    const app = new App(cluster, name);
    await cluster.apply(
      configMap({ name, namespace, data: { color: 'red' } }),
      deployment({
        ...{ name, namespace, envFrom: [fromConfigMap(name)] },
        annotations: { 'reloader.stakater.com/auto': 'true' },
      }),
    );
    await pollUntil(`a baseline on ${name}`, async () =>
      (await app.#deployment()).metadata.annotations?.['reroll.dev/baseline'] === undefined ? undefined : true,
    );
    return app;
  }

  private constructor(cluster: ClusterUnderTest, name: string) {
    this.#cluster = cluster;
    this.name = name;
  }

  /** Changes the value of the key `color`. */
  async paint(user: ContractClient, color: string): Promise<Answer> {
    const path = `/api/v1/namespaces/${namespace}/configmaps/${this.name}`;
    return await user.patch(`${path}?fieldManager=kubectl-edit`, merge, { data: { color } });
  }

  /**
   * Makes a change that must restart the Deployment exactly once. Waits for the restart, and then as long as a second
   * one could take. Resolves with the milliseconds from the change to its restart.
   *
   * @throws Error if there is no restart, or a second one.
   */
  async restartsOnce(change: () => Promise<void>, settleMs = defaultSettleMs): Promise<number> {
    const before = await this.#restarts();
    const startMs = performance.now();
    await change();
    const restarted = async (): Promise<true | undefined> => {
      const restarts = (await this.#restarts()) - before;
      if (restarts > 1) throw new NotWorthPolling(`${this.name} was restarted ${String(restarts)} times`);
      return restarts === 1 ? true : undefined;
    };
    await pollUntil(`${this.name} to be restarted`, restarted, { timeoutMs: 60_000 });
    const tookMs = performance.now() - startMs;
    // A fixed delay, in which a second restart would happen.
    await delay(settleMs + 1_000);
    await restarted();
    return tookMs;
  }

  /** Makes a change that must not restart the Deployment. @throws Error if it was restarted meanwhile */
  async restartsNever(change: () => Promise<void>): Promise<void> {
    const before = await this.#restarts();
    await change();
    const restarts = (await this.#restarts()) - before;
    if (restarts > 0) throw new Error(`${this.name} was restarted ${String(restarts)} times`);
  }

  /** Waits for the Event of its only restart, and resolves with the message. */
  async event(): Promise<string> {
    const selector = `reason=Reloaded,involvedObject.name=${this.name}`;
    const path = `/api/v1/namespaces/${namespace}/events?fieldSelector=${encodeURIComponent(selector)}`;
    return await pollUntil(`the Event of the restart of ${this.name}`, async () => {
      const { items } = (await this.#cluster.admin.get(path)).body as unknown as EventList;
      return items[0]?.message;
    });
  }

  /** Each restart changes the pod template, and nothing else here changes the spec. */
  async #restarts(): Promise<number> {
    return (await this.#deployment()).metadata.generation;
  }

  async #deployment(): Promise<DeploymentObject> {
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${this.name}`;
    return (await this.#cluster.admin.get(path)).body as unknown as DeploymentObject;
  }
}
