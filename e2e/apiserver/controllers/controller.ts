import type { ObjectKey } from '../../../shared/domain/kubernetes/object-key';
import type { Clock, Timer } from '../../../shared/runtime/clock';
import type { ApiServer } from '../api-server';
import type { KubeObject } from '../objects';
import { controllerOf } from '../objects';
import type { ResourceKind } from '../resources';
import { StatusError } from '../status';
import type { WriteRecord } from '../store';

/** A controller of kube-controller-manager: it maps each write to one of its objects, and reconciles that object. */
export interface Controller {
  readonly name: string;
  /** Key of the object to reconcile after a write; undefined if the write does not concern this controller. */
  keyFor(record: WriteRecord): ObjectKey | undefined;
  reconcile(key: ObjectKey): Promise<void>;
}

/** Reconciles on the injected clock, `delayMs` after the first write that concerns a key. A key is queued only once. */
export class ControllerLoop {
  readonly #controller: Controller;
  readonly #clock: Clock;
  readonly #delayMs: number;
  readonly #server: ApiServer;
  readonly #queued = new Map<ObjectKey, Timer>();
  #unsubscribe: (() => void) | undefined;

  constructor(server: ApiServer, controller: Controller, delayMs: number) {
    this.#server = server;
    this.#clock = server.clock;
    this.#controller = controller;
    this.#delayMs = delayMs;
  }

  /** Considers every existing object, and from then on every write. */
  start(): void {
    this.#unsubscribe ??= this.#server.store.subscribe((record) => this.#consider(record));
    for (const kind of this.#server.kinds) {
      for (const object of this.#server.store.list(kind)) this.#consider(presence(kind, object));
    }
  }

  stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    for (const timer of this.#queued.values()) timer.cancel();
    this.#queued.clear();
  }

  #consider(record: WriteRecord): void {
    const key = this.#controller.keyFor(record);
    if (key !== undefined) this.enqueue(key);
  }

  /** Queues a key, even if nothing was written. */
  enqueue(key: ObjectKey): void {
    if (this.#unsubscribe === undefined || this.#queued.has(key)) return;
    const run = (): void => {
      this.#queued.delete(key);
      this.#controller.reconcile(key).catch((error: unknown) => {
        // On an API error, such as a conflict, retry on the new state. Any other error is a bug and must surface.
        if (!(error instanceof StatusError)) throw error;
        this.enqueue(key);
      });
    };
    this.#queued.set(key, this.#clock.timer(this.#delayMs, run));
  }
}

/** Key of the written object if it is of `kind`, or else of the object of `kind` that controls it. */
export function ownOrControllerKey(
  kind: ResourceKind,
  { object, key, kind: written }: WriteRecord,
): ObjectKey | undefined {
  if (written === kind) return key;
  const controller = controllerOf(object);
  if (controller?.kind !== kind.kind) return undefined;
  return `${object.metadata.namespace ?? ''}/${controller.name}`;
}

function presence(kind: ResourceKind, object: KubeObject): WriteRecord {
  const { name, namespace } = object.metadata;
  return {
    revision: 0,
    type: 'ADDED',
    kind,
    key: namespace === undefined ? name : `${namespace}/${name}`,
    object,
    previous: undefined,
    user: '',
    manager: '',
    verb: 'list',
    subresource: undefined,
    atMs: 0,
  };
}
