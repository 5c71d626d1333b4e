import { setTimeout as delay } from 'node:timers/promises';
import { pollUntil } from '../control-plane/poll';
import { Probe } from './probe';
import { processUsage, type ProcessUsage } from './process-usage';
import type { Stage } from './stage';
import { accessTo, type Access, type RunningSubject, type Subject } from './subject';

/** Someone who asks costs a process that is at work some of its time. */
const askEveryMs = 20;

/** Lets what a start has left behind be collected, and whatever it put off be done. */
export const settleSeconds = 10;

/** Resolves once it has taken in the cluster: when it says so, or, where it cannot be asked, when it first acts. */
export async function synced(subject: Subject, running: RunningSubject, probe: Probe): Promise<void> {
  if (subject.isReroll) await running.ready(askEveryMs);
  else await probe.acted({ editEveryMs: 100 });
}

/** What a process has used some time after its start, when it has nothing more to do. */
export async function settled(running: RunningSubject): Promise<ProcessUsage> {
  await delay(settleSeconds * 1000);
  await idle(running);
  return processUsage(running.pid);
}

/** Resolves when it has nothing more to look at. */
export async function idle(running: RunningSubject, poll: { readonly intervalMs?: number } = {}): Promise<void> {
  const isIdle = async (): Promise<true | undefined> => {
    const samples = await running.metrics();
    return samples === undefined || samples.sum('reloader_workqueue_depth') === 0 ? true : undefined;
  };
  await pollUntil('an empty queue of the subject', isIdle, poll);
}

/** A cluster that a subject has been started on before, and the way to it. */
export interface KnownCluster {
  readonly probe: Probe;
  readonly access: Access;
}

/** Makes the {@link firstStart} on a stage with so many workloads, to which those of the probe are added. */
export async function makeKnown(stage: Stage, subject: Subject, workloads: number): Promise<KnownCluster> {
  const probe = await Probe.create(stage);
  const access = await accessTo(stage);
  await firstStart(subject, access, probe, workloads + 1);
  return { probe, access };
}

/**
 * The first start on a cluster, which records what each workload has been started with: that is done once, and every
 * start after it finds it done. Resolves to what it used.
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
      { timeoutMs: 120_000, intervalMs: 200 },
    );
    return await settled(running);
  } finally {
    await running.end();
  }
}
