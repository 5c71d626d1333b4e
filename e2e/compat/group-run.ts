import { setTimeout as delay } from 'node:timers/promises';
import { fromConfigMap, fromSecret, namespace } from '../apiserver/cluster';
import type { RerollProcess } from '../reroll-process';
import { settleMs, type CompatCluster } from './compat-cluster';
import { Place } from './place';
import type { Group, Spec } from './spec';
import { auto, credentials, idle, settings } from './workloads';

const groupLabel = 'compat.reroll.dev/group';
const baseline = 'reroll.dev/baseline';

/** Restarted last: by then, all earlier restarts have happened. It has two sources because flags may exclude one. */
function sentinelOf({ sourceLabels: labels = {}, sentinel: annotations = auto }: Group): Spec {
  return {
    title: 'sentinel',
    objects: [
      settings('last', { labels }),
      credentials('last', { labels }),
      idle.Deployment({ name: 'last', annotations, envFrom: [fromConfigMap('last'), fromSecret('last')] }),
    ],
    act: async (place) => {
      await place.edit('ConfigMap', 'last');
      await place.edit('Secret', 'last');
    },
    restarts: { 'Deployment/last': 1 },
  };
}

/** Runs all specs of a group at once: sets up, waits for baselines, acts, and waits until nothing more can come. */
export class GroupRun {
  readonly #cluster: CompatCluster;
  readonly #group: Group;
  readonly #places: readonly Place[];
  readonly #sentinel: Spec;
  readonly #sentinelPlace: Place;
  readonly #failures = new Map<Spec, unknown>();
  #process: RerollProcess | undefined;

  constructor(cluster: CompatCluster, group: Group) {
    this.#cluster = cluster;
    this.#group = group;
    this.#places = group.specs.map((_spec, index) => this.#place(String(index)));
    this.#sentinel = sentinelOf(group);
    this.#sentinelPlace = this.#place('last');
  }

  async run(): Promise<void> {
    const { specs, setUp = [], isKilled, runsRollouts } = this.#group;
    await this.#cluster.apply(setUp);
    if (runsRollouts) await this.#cluster.runRollouts();
    await inBatches(specs, async (spec, index) => await this.#setUp(spec, this.place(index)));
    await this.#setUp(this.#sentinel, this.#sentinelPlace);
    await this.#start();
    await this.#recorded(this.#sentinel, this.#sentinelPlace);
    await this.#each((spec, place) => this.#recorded(spec, place));

    await this.#each((spec, place) => spec.act(place));
    if (isKilled) {
      await this.#process?.end('SIGKILL');
      await this.#each(async (spec, place) => await spec.whileDown?.(place));
      await this.#start();
    }
    await this.#each(restarted);
    await this.#sentinel.act(this.#sentinelPlace);
    await restarted(this.#sentinel, this.#sentinelPlace);
    // All writes from before the first act until now are recorded, including unexpected restarts.
    await delay(settleMs + 1_000);
  }

  place(index: number): Place {
    const place = this.#places[index];
    if (!place) throw new Error(`group ${this.#group.name} has no spec ${String(index)}`);
    return place;
  }

  /** Throws the error of a spec that failed before it could be judged. */
  failed(spec: Spec): void {
    if (this.#failures.has(spec)) throw this.#failures.get(spec);
  }

  async end(): Promise<void> {
    await this.#process?.end();
  }

  async #start(): Promise<void> {
    const { name, flags, env, ownNamespaces } = this.#group;
    const selection = ownNamespaces ? [] : [`--namespace-selector=${groupLabel}=${name}`];
    this.#process = await this.#cluster.reconciler([...flags, ...selection], env);
  }

  #place(name: string): Place {
    const { admin, recorder } = this.#cluster;
    return new Place(`${this.#group.name}-${name}`, admin, recorder, () => {
      if (!this.#process) throw new Error('the reconciler is not started yet');
      return this.#process;
    });
  }

  async #setUp(spec: Spec, place: Place): Promise<void> {
    const labels = { [groupLabel]: this.#group.name, ...(spec.labels ?? this.#group.labels) };
    await place.create(namespace(place.namespace, { labels }), ...spec.objects);
  }

  async #recorded(spec: Spec, place: Place): Promise<void> {
    if (spec.unrecorded) return;
    for (const [workload, times] of Object.entries(spec.restarts)) {
      if (times > 0)
        await place.until(`a baseline on ${workload}`, () => place.annotation(workload, baseline) !== undefined);
    }
  }

  /** Runs a step of all specs at once; the failure of one does not affect the others. */
  async #each(step: (spec: Spec, place: Place) => Promise<void>): Promise<void> {
    await inBatches(this.#group.specs, async (spec, index) => {
      if (this.#failures.has(spec)) return;
      try {
        await step(spec, this.place(index));
      } catch (error) {
        this.#failures.set(spec, error);
      }
    });
  }
}

async function restarted(spec: Spec, place: Place): Promise<void> {
  for (const [workload, times] of Object.entries(spec.restarts)) await place.restarted(workload, times);
}

/** Few enough that the API server does not throttle requests. */
const atOnce = 24;

async function inBatches<T>(items: readonly T[], each: (item: T, index: number) => Promise<void>): Promise<void> {
  const queue = [...items.entries()];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) await each(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
