import { setTimeout as delay } from 'node:timers/promises';
import { configMap, deployment, fromConfigMap } from '../apiserver/cluster';
import { merge } from '../apiserver/contract/contract-client';
import { numberAt } from '../apiserver/json';
import { created, createNamespace, type Stage } from './stage';

const namespace = 'probe';
const source = `/api/v1/namespaces/${namespace}/configmaps/probe`;
const workload = `/apis/apps/v1/namespaces/${namespace}/deployments/probe`;

/** How often to repeat the edit, for a subject that may not watch yet at the first one, and how long to wait. */
export interface ActedOptions {
  /** If undefined, there is only one edit. */
  readonly editEveryMs?: number;
  readonly timeoutMs?: number;
}

const lookEveryMs = 5;

/** A Deployment and the ConfigMap that it uses: shows from outside whether the subject acts. */
export class Probe {
  readonly #stage: Stage;
  #edits = 0;

  private constructor(stage: Stage) {
    this.#stage = stage;
  }

  static async create(stage: Stage): Promise<Probe> {
    await createNamespace(stage.api, namespace);
    const data = { value: '0' };
    const annotations = { 'reloader.stakater.com/auto': 'true' };
    const envFrom = [fromConfigMap('probe')];
    await created(
      stage.api,
      `/api/v1/namespaces/${namespace}/configmaps`,
      configMap({ name: 'probe', namespace, data }),
    );
    const object = deployment({ name: 'probe', namespace, replicas: 0, annotations, envFrom });
    await created(stage.api, `/apis/apps/v1/namespaces/${namespace}/deployments`, object);
    return new Probe(stage);
  }

  /**
   * Edits the ConfigMap and resolves with the milliseconds until the template has changed.
   *
   * @throws Error if that does not happen in time.
   */
  async acted({ editEveryMs = Infinity, timeoutMs = 120_000 }: ActedOptions = {}): Promise<number> {
    const before = await this.#generation();
    const startMs = performance.now();
    let editedMs = -Infinity;
    while (performance.now() - startMs < timeoutMs) {
      if (performance.now() - editedMs >= editEveryMs || editedMs === -Infinity) {
        editedMs = performance.now();
        await this.#stage.api.patch(source, merge, { data: { value: String(++this.#edits) } });
      }
      if ((await this.#generation()) !== before) return performance.now() - startMs;
      await delay(lookEveryMs);
    }
    throw new Error(`no change of the template of ${workload} within ${timeoutMs} ms of a change of ${source}`);
  }

  /** Only a change of `spec` increases the generation, and only the subject changes that. */
  async #generation(): Promise<number | undefined> {
    return numberAt((await this.#stage.api.get(workload)).body, 'metadata', 'generation');
  }
}
