import { setTimeout as delay } from 'node:timers/promises';
import type { WatchReader } from '../apiserver/contract/contract-client';
import { stringAt, type JsonObject } from '../apiserver/json';
import type { Stage } from './stage';

/** A Deployment by `namespace/name`, and when its new pod template was seen, by `performance.now()`. */
export interface TemplateChange {
  readonly deployment: string;
  readonly atMs: number;
}

interface Waiting {
  readonly missing: Set<string>;
  readonly resolve: (lastAtMs: number) => void;
  readonly reject: (error: Error) => void;
}

const quietPollMs = 50;

/** Observes new pod templates from outside the subject, through one watch of all Deployments. */
export class TemplateWatch {
  /** All changes seen, in order. */
  readonly changes: TemplateChange[] = [];
  readonly #api: Stage['api'];
  readonly #templates = new Map<string, string>();
  readonly #waiting = new Set<Waiting>();
  #lastEventMs = performance.now();
  #failure: Error | undefined;

  private constructor(api: Stage['api']) {
    this.#api = api;
  }

  /** Resolves once the watch is open; it is closed with the stage. */
  static async open({ api }: Stage): Promise<TemplateWatch> {
    const watch = new TemplateWatch(api);
    const reader = await watch.#open();
    void watch.#read(reader);
    return watch;
  }

  /**
   * Resolves with the moment when the last of these Deployments was seen with a new template. Only changes after the
   * call count: call it before the edit.
   */
  async allChanged(deployments: readonly string[], timeoutMs = 60_000): Promise<number> {
    let timer: NodeJS.Timeout | undefined;
    const waiting = new Promise<number>((resolve, reject) => {
      if (this.#failure) {
        reject(this.#failure);
        return;
      }
      const one = { missing: new Set(deployments), resolve, reject };
      this.#waiting.add(one);
      timer = setTimeout(() => {
        this.#waiting.delete(one);
        const [first = ''] = one.missing;
        reject(
          new Error(`no new template of ${one.missing.size} Deployments within ${timeoutMs} ms, ${first} among them`),
        );
      }, timeoutMs);
    });
    return await waiting.finally(() => clearTimeout(timer));
  }

  /** Resolves after `forMs`, from now, without an event of any Deployment: the Deployment controller is done too. */
  async quiet(forMs: number): Promise<void> {
    const askedMs = performance.now();
    while (performance.now() - Math.max(askedMs, this.#lastEventMs) < forMs) {
      if (this.#failure) throw this.#failure;
      await delay(quietPollMs);
    }
  }

  async #open(resourceVersion?: string): Promise<WatchReader> {
    const from = resourceVersion === undefined ? '' : `&resourceVersion=${resourceVersion}`;
    const reader = await this.#api.watch(`/apis/apps/v1/deployments?watch=1${from}`);
    if (reader.status !== 200) throw new Error(`the watch of Deployments was answered with ${String(reader.status)}`);
    return reader;
  }

  /** Reopens the watch: the API server ends it if this process, which shares cores with the subject, falls behind. */
  async #read(first: WatchReader): Promise<void> {
    try {
      for (let [reader, version] = [first, '']; ; reader = await this.#open(version)) {
        for (let event = await reader.next(); event !== undefined; event = await reader.next()) {
          version = stringAt(event.object, 'metadata', 'resourceVersion') ?? version;
          this.#take(event.type, event.object);
        }
      }
    } catch (error) {
      this.#fail(new Error('the watch of Deployments broke', { cause: error }));
    }
  }

  #take(type: string, object: JsonObject): void {
    const atMs = performance.now();
    this.#lastEventMs = atMs;
    const { namespace, name } = object['metadata'] as { readonly namespace: string; readonly name: string };
    const deployment = `${namespace}/${name}`;
    const template = JSON.stringify((object['spec'] as JsonObject)['template']);
    const before = this.#templates.get(deployment);
    if (before === template) return;
    this.#templates.set(deployment, template);
    if (type !== 'MODIFIED' || before === undefined) return;
    this.changes.push({ deployment, atMs });
    for (const waiting of this.#waiting) {
      if (!waiting.missing.delete(deployment) || waiting.missing.size > 0) continue;
      this.#waiting.delete(waiting);
      waiting.resolve(atMs);
    }
  }

  #fail(error: Error): void {
    this.#failure = error;
    for (const { reject } of this.#waiting) reject(error);
    this.#waiting.clear();
  }
}
