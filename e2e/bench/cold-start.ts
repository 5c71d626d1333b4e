import { setTimeout as delay } from 'node:timers/promises';
import { pollUntil } from '../control-plane/poll';
import { Probe } from './probe';
import { processUsage, type ProcessUsage } from './process-usage';
import type { Stage } from './stage';
import { accessTo, type Access, type RunningSubject, type Subject } from './subject';

/** Each probe takes CPU time from the process that is measured. */
const askEveryMs = 20;

/** Time for the garbage of a start to be collected and for deferred work to finish. */
export const settleSeconds = 10;

/** A first start: to list, and to record the baseline of each workload. Reroll records a hundred of them a second. */
const firstListMs = 120_000;
const baselineMs = 20;

/** Resolves once the subject has listed the cluster: Reroll reports it, another implementation shows it by acting. */
export async function synced(subject: Subject, running: RunningSubject, probe: Probe): Promise<void> {
  if (subject.isReroll) await running.ready(askEveryMs);
  else await probe.acted({ editEveryMs: 100 });
}

/** Resolves with what a process has used, some time after its start, when it has nothing more to do. */
export async function settled(running: RunningSubject): Promise<ProcessUsage> {
  await delay(settleSeconds * 1000);
  await idle(running);
  return processUsage(running.pid);
}

/** Resolves when the subject's queue is empty; at once if its metrics cannot be read. */
export async function idle(running: RunningSubject, poll: { readonly intervalMs?: number } = {}): Promise<void> {
  const isIdle = async (): Promise<true | undefined> => {
    const samples = await running.metrics();
    return samples === undefined || samples.sum('reloader_workqueue_depth') === 0 ? true : undefined;
  };
  await pollUntil('an empty queue of the subject', isIdle, poll);
}

/** A cluster on which the subject has been started before, and how to reach it. */
export interface KnownCluster {
  readonly probe: Probe;
  readonly access: Access;
}

/** Does the {@link firstStart} on a stage with `workloads` workloads. It adds the Deployment of the probe to them. */
export async function makeKnown(stage: Stage, subject: Subject, workloads: number): Promise<KnownCluster> {
  const probe = await Probe.create(stage);
  const access = await accessTo(stage);
  await firstStart(subject, access, probe, workloads + 1);
  return { probe, access };
}

/**
 * Starts the subject on a cluster for the first time, which records the baseline of each workload. Later starts find
 * the baselines recorded. Resolves with what the process used.
 */
export async function firstStart(
  subject: Subject,
  access: Access,
  probe: Probe,
  workloads: number,
): Promise<ProcessUsage> {
  const running = subject.start(access);
  try {
    await synced(subject, running, probe);
    await pollUntil(
      `${workloads} baselines to be recorded`,
      async () => {
        const samples = await running.metrics();
        return samples === undefined || samples.sum('reroll_adoptions_total') >= workloads ? true : undefined;
      },
      { timeoutMs: firstListMs + workloads * baselineMs, intervalMs: 200 },
    );
    return await settled(running);
  } finally {
    await running.end();
  }
}
