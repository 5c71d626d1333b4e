import { fieldAt, listOf } from '../../shared/domain/kubernetes/json-value';
import type { ContractClient, WatchEvent } from '../apiserver/contract/contract-client';
import type { JsonObject } from '../apiserver/json';
import { collectionPath, type Kind } from './object-paths';

const templatePaths: Partial<Record<Kind, readonly string[]>> = {
  CronJob: ['spec', 'jobTemplate', 'spec', 'template'],
};

/** Records every stored state of workloads and Events, from before there are any, so no write is missed. */
export class Recorder {
  readonly #admin: ContractClient;
  readonly #kinds: readonly Kind[];
  readonly #histories = new Map<string, WatchEvent[]>();
  readonly #broken: string[] = [];
  #closed = false;

  constructor(admin: ContractClient, kinds: readonly Kind[]) {
    this.#admin = admin;
    this.#kinds = kinds;
  }

  async start(): Promise<void> {
    for (const kind of this.#kinds) {
      const { body } = await this.#admin.get(collectionPath(kind));
      const version = String(fieldAt(body, ['metadata', 'resourceVersion']));
      void this.#follow(kind, version);
    }
  }

  /** The stored states of an object, oldest first. */
  history(kind: Kind, namespace: string, name: string): readonly WatchEvent[] {
    return this.#histories.get(`${kind}/${namespace}/${name}`) ?? [];
  }

  /** The histories of the objects of a kind in a namespace, including deleted ones. */
  ofNamespace(kind: Kind, namespace: string): readonly (readonly WatchEvent[])[] {
    const prefix = `${kind}/${namespace}/`;
    return [...this.#histories].filter(([key]) => key.startsWith(prefix)).map(([, history]) => history);
  }

  /** How often a workload was restarted: changes of its template or `restartAt`, Jobs run for it, or recreations. */
  restarts(kind: Kind, namespace: string, name: string): number {
    if (this.#broken.length > 0) throw new Error(`a watch ended early: ${this.#broken.join('; ')}`);
    const history = this.history(kind, namespace, name);
    const creations = history.filter(({ type }) => type === 'ADDED').length;
    if (kind === 'Job') return creations - 1;
    const path = templatePaths[kind] ?? ['spec', 'template'];
    const states = history.map(({ object }) =>
      JSON.stringify([fieldAt(object, path), fieldAt(object, ['spec', 'restartAt'])]),
    );
    const changes = states.filter((state, index) => index > 0 && state !== states[index - 1]).length;
    return changes + (kind === 'CronJob' ? this.#jobsOf(namespace, name) : 0);
  }

  close(): void {
    this.#closed = true;
    this.#admin.closeWatches();
  }

  #jobsOf(namespace: string, cronJob: string): number {
    return this.ofNamespace('Job', namespace).filter(([first]) => {
      const owners = listOf(fieldAt(first?.object, ['metadata', 'ownerReferences']));
      return owners.some((owner) => fieldAt(owner, ['name']) === cronJob);
    }).length;
  }

  async #follow(kind: Kind, version: string): Promise<void> {
    try {
      const watch = await this.#admin.watch(`${collectionPath(kind)}?watch=true&resourceVersion=${version}`);
      for (let event = await watch.next(); event; event = await watch.next()) this.#record(kind, event);
      if (!this.#closed) this.#broken.push(kind);
    } catch (error) {
      if (!this.#closed) this.#broken.push(`${kind}: ${String(error)}`);
    }
  }

  #record(kind: Kind, event: WatchEvent): void {
    const { namespace, name } = event.object['metadata'] as JsonObject & { namespace: string; name: string };
    const key = `${kind}/${namespace}/${name}`;
    const history = this.#histories.get(key);
    if (history) history.push(event);
    else this.#histories.set(key, [event]);
  }
}
