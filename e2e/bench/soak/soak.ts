import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { createTemporaryDir } from '../../control-plane/temporary-dir';
import { writeKubeconfig } from '../../control-plane/kubeconfig';
import { createEditedWorkloads, edit } from '../edits';
import { openFiles } from '../process-sockets';
import { processUsage } from '../process-usage';
import type { Measured } from '../result';
import { untilItServes } from '../served';
import type { Stage } from '../stage';
import { described, type RunningSubject } from '../subject';
import type { Setting } from '../benches';
import { TemplateWatch } from '../template-watch';
import { CutProxy } from './cut-proxy';
import { soakFigures } from './figures';
import { CollectedHeap } from './collected-heap';
import type { Sample } from './growth';
import { isLed, releaseLease, takeLease } from './taken-lease';

const workloads = 300;
const editEveryMs = 50;
const sampleEveryMs = 10_000;
/** In samples: what is disturbed is disturbed just after one, so that the next sees what has settled. */
const cutEvery = 2;
const takeLeaseEvery = 6;
const leaseTakenMs = 4_000;

/** What comes before says nothing of what stays. */
const warmUpMinutes = 5;
const warmUpShare = 0.25;

/** Longer than it takes until another leads and restarts what is owed. */
const quietMs = 30_000;

const namespace = 'workloads';

/** What was done to a workload. */
export interface Fate {
  edits: number;
  lastEditMs: number;
  restarts: number;
  lastRestartMs: number;
}

interface Disturbances {
  cuts: number;
  leaderChanges: number;
}

/** Edits without end, while connections break and the lease is taken away again and again. */
export async function measureSoak({ openStage, subject, minutes, tell }: Setting): Promise<Measured> {
  const stage = await openStage();
  const temporary = createTemporaryDir();
  const proxy = await CutProxy.start(stage.url);
  try {
    tell('filling …');
    const watch = await TemplateWatch.open(stage);
    await createEditedWorkloads(stage, namespace, workloads);
    const kubeconfig = join(temporary.dir, 'kubeconfig');
    const identity = await stage.identityFor('subject');
    await writeKubeconfig(kubeconfig, { server: proxy.url, caPem: stage.caPem, user: 'subject', identity });
    const access = { kubeconfig };
    const running = subject.start(access);
    try {
      await untilItServes(stage, running, watch, namespace);
      const before = watch.changes.length;
      const fates = Array.from({ length: workloads }, () => ({
        ...{ edits: 0, lastEditMs: -Infinity, restarts: 0, lastRestartMs: -Infinity },
      }));
      const endMs = performance.now() + minutes * 60_000;
      const [samples] = await Promise.all([
        disturbAndSample({ stage, proxy, running, tell, endMs }),
        editUntil(stage, fates, endMs),
      ]);
      await watch.quiet(quietMs);
      for (const { deployment, atMs } of watch.changes.slice(before)) {
        const fate = fates[Number(deployment.slice(`${namespace}/app-`.length))];
        if (!fate) continue;
        fate.restarts++;
        fate.lastRestartMs = atMs;
      }
      const warmUpMs = Math.min(warmUpMinutes, minutes * warmUpShare) * 60_000;
      return {
        conditions: {
          stage: stage.description,
          subject: described(subject, access),
          workloads: `${workloads} Deployments without pods, each with a ConfigMap and a Secret`,
          edits: `one every ${editEveryMs} ms`,
          disturbances: `every ${(cutEvery * sampleEveryMs) / 1000} s all connections are cut; every ${(takeLeaseEvery * sampleEveryMs) / 1000} s the lease "reroll" is taken for ${leaseTakenMs / 1000} s, if there is one`,
          minutes: `${minutes}, of which the first ${warmUpMs / 60_000} do not count; then the last quarter is compared with the first`,
        },
        figures: soakFigures(samples.taken, warmUpMs, fates, { ...samples, isAsked: subject.isReroll }),
      };
    } finally {
      await running.end();
    }
  } finally {
    proxy.close();
    temporary.dispose();
    await stage.stop();
  }
}

async function editUntil(stage: Stage, fates: readonly Fate[], endMs: number): Promise<void> {
  for (let index = 0; performance.now() < endMs; index++) {
    const workload = index % workloads;
    const fate = fates[workload];
    const isSecret = index % (2 * workloads) >= workloads;
    const [{ sentMs }] = await Promise.all([
      isSecret
        ? edit(stage, 'secrets', namespace, `secret-${workload}`)
        : edit(stage, 'configmaps', namespace, `config-${workload}`),
      delay(editEveryMs),
    ]);
    if (!fate) continue;
    fate.edits++;
    fate.lastEditMs = sentMs;
  }
}

interface Disturbed {
  readonly stage: Stage;
  readonly proxy: CutProxy;
  readonly running: RunningSubject;
  readonly tell: (what: string) => void;
  readonly endMs: number;
}

async function disturbAndSample({ stage, proxy, running, tell, endMs }: Disturbed) {
  const taken: Sample[] = [];
  const done: Disturbances = { cuts: 0, leaderChanges: 0 };
  const heap = CollectedHeap.of(running);
  const startedMs = performance.now();
  for (let tick = 1; startedMs + tick * sampleEveryMs <= endMs; tick++) {
    await delay(startedMs + tick * sampleEveryMs - performance.now());
    taken.push(await sample(running, heap, performance.now() - startedMs));
    if (tick % cutEvery === 0) {
      proxy.cut();
      done.cuts++;
    }
    if (tick % takeLeaseEvery === 0) {
      tell(`${Math.round((tick * sampleEveryMs) / 60_000)} minutes …`);
      // It has come back from the last time: otherwise that would not have been a change.
      if ((await isLed(stage.api)) && (await takeLease(stage.api))) {
        done.leaderChanges++;
        await delay(leaseTakenMs);
        await releaseLease(stage.api);
      }
    }
  }
  await heap.stop();
  return { taken, ...done, collections: heap.collections };
}

async function sample(running: RunningSubject, heap: CollectedHeap, atMs: number): Promise<Sample> {
  const metrics = await running.metrics();
  const { count, sockets } = openFiles(running.pid);
  return {
    atMs,
    residentBytes: processUsage(running.pid).residentBytes,
    heapBytes: heap.bytes,
    handles: metrics?.sum('nodejs_active_handles'),
    descriptors: count,
    sockets: sockets.size,
  };
}
