import type { ObjectKey } from '../../../shared/domain/kubernetes/object-key';
import type { Clock, Timer } from '../../../shared/runtime/clock';
import type { ApiServer } from '../api-server';
import type { KubeObject } from '../objects';
import { controllerOf } from '../objects';
import type { ResourceKind } from '../resources';
import { StatusError } from '../status';
import type { WriteRecord } from '../store';

/** One loop of kube-controller-manager: which writes concern which of its objects, and what to do about one. */
export interface Controller {
  readonly name: string;
  /** Key of the object that a write gives reason to look at; undefined when it is none of this controller's. */
  keyFor(record: WriteRecord): ObjectKey | undefined;
  reconcile(key: ObjectKey): Promise<void>;
}

/** Runs a controller on the injected clock: each key once at a time, `delayMs` after the write that concerns it. */
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

  /** Looks at everything that is there, and then at every write. */
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

  /** Has the controller look at a key, although nothing was written. */
  enqueue(key: ObjectKey): void {
    if (this.#unsubscribe === undefined || this.#queued.has(key)) return;
    const run = (): void => {
      this.#queued.delete(key);
      this.#controller.reconcile(key).catch((error: unknown) => {
        // Another write came between: look again at what it left. What is not an API error is a bug, and must be seen.
        if (!(error instanceof StatusError)) throw error;
        this.enqueue(key);
      });
    };
    this.#queued.set(key, this.#clock.timer(this.#delayMs, run));
  }
}

/** Key of the object itself, if it is of the kind, or of the one of that kind that controls it. */
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
