import type { ApiServer } from '../api-server';
import { arrayAt, numberAt, objectAt, stringAt, type JsonObject } from '../json';
import { type KubeObject, timestamp } from '../objects';
import { jobKind, podKind } from '../resources';
import { type Controller, ownOrControllerKey } from './controller';
import { WorkloadClient } from './workload-client';

/** Runs the pods of a Job to completion. Pods never fail here. */
export class JobController implements Controller {
  readonly name = 'job-controller';
  readonly #server: ApiServer;
  readonly #client: WorkloadClient;

  constructor(server: ApiServer) {
    this.#server = server;
    this.#client = new WorkloadClient(server, this.name);
  }

  keyFor = ownOrControllerKey.bind(undefined, jobKind);

  async reconcile(key: string): Promise<void> {
    const job = this.#client.live(jobKind, key);
    if (job === undefined || isFinished(job)) return;
    const suspended = objectAt(job, 'spec')['suspend'] === true;
    const completions = numberAt(job, 'spec', 'completions') ?? 1;
    const pods = this.#client.controlledBy(job, podKind);
    const succeeded = pods.filter((pod) => stringAt(pod, 'status', 'phase') === 'Succeeded').length;
    const parallelism = suspended ? 0 : (numberAt(job, 'spec', 'parallelism') ?? 1);
    const wanted = Math.min(parallelism, completions - succeeded);
    let active = pods.length - succeeded;
    for (; active < wanted; active++) {
      await this.#client.createPod(job, objectAt(job, 'spec', 'template'), { generateName: `${job.metadata.name}-` });
    }
    await this.#client.updateStatus(jobKind, job, this.#status(job, { active, succeeded, completions, suspended }));
  }

  #status(
    job: KubeObject,
    counts: {
      readonly active: number;
      readonly succeeded: number;
      readonly completions: number;
      readonly suspended: boolean;
    },
  ): JsonObject {
    const now = timestamp(this.#server.clock.nowMs());
    const startTime = stringAt(job, 'status', 'startTime') ?? now;
    const { active, succeeded, completions, suspended } = counts;
    const done = succeeded >= completions;
    const condition = (type: string): JsonObject => ({
      type,
      status: 'True',
      reason: 'CompletionsReached',
      message: 'Reached expected number of succeeded pods',
      lastProbeTime: now,
      lastTransitionTime: now,
    });
    return {
      ...(suspended ? {} : { startTime }),
      ...(active > 0 ? { active } : {}),
      ...(succeeded > 0 ? { succeeded } : {}),
      ready: 0,
      terminating: 0,
      ...(done ? { completionTime: now, conditions: [condition('SuccessCriteriaMet'), condition('Complete')] } : {}),
    };
  }
}

function isFinished(job: KubeObject): boolean {
  return arrayAt(job, 'status', 'conditions').some(
    (condition) => stringAt(condition, 'type') === 'Complete' && stringAt(condition, 'status') === 'True',
  );
}
