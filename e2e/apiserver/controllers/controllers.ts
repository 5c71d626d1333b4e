import type { ApiServer } from '../api-server';
import type { KubeObject } from '../objects';
import { ControllerLoop, type Controller } from './controller';
import { runCronJobNow } from './cron-job';
import { DaemonSetController } from './daemon-set';
import { DeploymentController } from './deployment';
import { GarbageCollector } from './garbage-collector';
import { JobController } from './job';
import { Kubelet, type KubeletOptions, type PodSources } from './kubelet';
import { NamespaceController } from './namespace';
import { ReplicaSetController } from './replica-set';
import { StatefulSetController } from './stateful-set';

export type ControllerName =
  | 'deployment-controller'
  | 'replicaset-controller'
  | 'statefulset-controller'
  | 'daemon-set-controller'
  | 'job-controller'
  | 'generic-garbage-collector'
  | 'namespace-controller'
  | 'kubelet';

export interface ControllersOptions {
  /** Controllers that are switched off. */
  readonly without?: readonly ControllerName[];
  /** Delay between a write and the reconcile that it triggers. */
  readonly reactionMs?: number;
  readonly readyDelayMs?: number;
  readonly jobDurationMs?: number;
  /** See {@link KubeletOptions.startsWithoutSources}. */
  readonly startsWithoutSources?: boolean;
  /** See {@link KubeletOptions.isBroken}. */
  readonly isBroken?: KubeletOptions['isBroken'];
}

/** The kube-controller-manager, scheduler and kubelets of a simulated cluster. */
export class Controllers {
  readonly #server: ApiServer;
  readonly #loops: readonly ControllerLoop[];
  readonly #kubelet: Kubelet;

  constructor(server: ApiServer, options: ControllersOptions = {}) {
    const { without = [], reactionMs = 20, readyDelayMs = 2_000, jobDurationMs = 5_000 } = options;
    const { startsWithoutSources = false, isBroken = () => false } = options;
    this.#server = server;
    this.#kubelet = new Kubelet(server, { readyDelayMs, jobDurationMs, startsWithoutSources, isBroken }, (key) =>
      kubeletLoop.enqueue(key),
    );
    const kubeletLoop = new ControllerLoop(server, this.#kubelet, reactionMs);
    const controllers: readonly Controller[] = [
      new DeploymentController(server),
      new ReplicaSetController(server),
      new StatefulSetController(server),
      new DaemonSetController(server),
      new JobController(server),
      new GarbageCollector(server),
      new NamespaceController(server),
    ];
    const off = new Set<string>(without);
    const loops = controllers
      .filter(({ name }) => !off.has(name))
      .map((controller) => new ControllerLoop(server, controller, reactionMs));
    this.#loops = off.has(this.#kubelet.name) ? loops : [...loops, kubeletLoop];
  }

  start(): void {
    for (const loop of this.#loops) loop.start();
  }

  stop(): void {
    for (const loop of this.#loops) loop.stop();
    this.#kubelet.stop();
  }

  /** What each pod read when it started, by pod uid. It shows whether running pods have the latest content. */
  podSources(): ReadonlyMap<string, PodSources> {
    return this.#kubelet.started;
  }

  /** Creates the Job that a CronJob's schedule would create now. */
  async runCronJobNow(namespace: string, name: string): Promise<KubeObject | undefined> {
    return await runCronJobNow(this.#server, namespace, name);
  }
}
