import { setTimeout as delay } from 'node:timers/promises';
import { startBareTimer } from '../bare-timer';
import type { Setting } from '../benches';
import { makeKnown, settled, synced, type KnownCluster } from '../cold-start';
import { forgetPeak, processUsage, type ProcessUsage } from '../process-usage';
import type { Measured } from '../result';
import type { Stage, StageRequest } from '../stage';
import { described, type RunningSubject, type Subject } from '../subject';
import { TemplateWatch } from '../template-watch';
import { heldFigures, type HeldRestarts } from './figures';
import { ordered, pace, pacedFigures, setWaves, type PacedRestarts } from './paced-fleet';
import {
  allHeld,
  fillFleet,
  fleet,
  hold,
  looksOf,
  oweAll,
  release,
  requestsIn,
  settledHeld,
  silence,
} from './held-fleet';

const starts = 3;
const quietSeconds = 60;
const releaseTimeoutMs = 900_000;
/** Longer than a settle window, and than the Deployment controller pauses between its writes. */
const calmMs = 10_000;

/** What every step needs. */
interface Held extends KnownCluster {
  readonly stage: Stage;
  readonly subject: Subject;
  readonly watch: TemplateWatch;
  readonly tell: (what: string) => void;
}

/** The bench `gates`: restarts that are owed and held, then released, and then some that come one after the other. */
export async function measureGates({ openStage, subject, tell }: Setting): Promise<Measured> {
  if (!subject.isReroll) throw new Error('the bench gates measures the hold of Reroll, which no other has');
  const stage = await openStage();
  try {
    if ('server' in stage)
      throw new Error('the simulated API server rolls nothing out, so a later wave would not begin: leave out --sim');
    tell(`creating ${fleet.size} Deployments …`);
    const watch = await TemplateWatch.open(stage);
    await fillFleet(stage);
    tell('the first start, which records baselines …');
    const known = await makeKnown(stage, subject, fleet.size);
    // The subject's watch shows it all that the Deployment controller writes.
    await watch.quiet(calmMs);
    await hold(stage);
    return {
      conditions: {
        stage: stage.description,
        subject: described(subject, known.access),
        workloads: fleet.description,
        hold: 'the ConfigMap reroll-hold, with an end a day later; it is deleted to release them',
        starts: `median of ${starts}, each after its last request, settled`,
        quiet: `${quietSeconds} s`,
        pace: `${pace.flags.join(' ')}; ${fleet.inEach / 2} Deployments of ${ordered.namespace} are in wave ${ordered.wave}`,
      },
      figures: [
        ...heldFigures(await seen({ ...known, stage, subject, watch, tell })),
        ...pacedFigures(await paced({ ...known, stage, subject, watch, tell })),
      ],
    };
  } finally {
    await stage.stop();
  }
}

async function seen(all: Held): Promise<HeldRestarts> {
  const { stage, tell } = all;
  const notOwed = await eachStart(all, 'nothing owed', settled);
  const owed = await whileRunning(all, async (running) => {
    const before = await settled(running);
    tell('editing what all use …');
    const startMs = performance.now();
    await oweAll(stage);
    await allHeld(running);
    const tookHoldMs = performance.now() - startMs;
    return { before, tookHoldMs, after: await settledHeld(stage, running), quiet: await quiet(all, running) };
  });
  const held = await eachStart(all, 'all owed', async (running) => await settledHeld(stage, running));
  const released = await whileRunning(all, async (running) => await releasedAll(all, running));
  return { size: fleet.size, notOwed, ...owed, held, released };
}

async function quiet({ stage, watch, tell }: Held, running: RunningSubject): Promise<HeldRestarts['quiet']> {
  tell(`${quietSeconds} s of quiet …`);
  const { pid } = running;
  const timer = await startBareTimer();
  // Before and after the minute: an answer costs the process CPU time.
  const looksBefore = await looksOf(running);
  const [before, templatesBefore, beganMs] = [processUsage(pid), watch.changes.length, Date.now()];
  const timerBefore = timer.cpuSeconds();
  await delay(quietSeconds * 1_000);
  const seconds = (Date.now() - beganMs) / 1_000;
  const { cpuSeconds } = processUsage(pid);
  const timerSeconds = timer.cpuSeconds() - timerBefore;
  timer.end();
  return {
    ...{ seconds, cpuSeconds: cpuSeconds - before.cpuSeconds, timerSeconds },
    looks: (await looksOf(running)) - looksBefore,
    requests: await requestsIn(stage, beganMs),
    newTemplates: watch.changes.length - templatesBefore,
  };
}

async function releasedAll(all: Held, running: RunningSubject): Promise<HeldRestarts['released']> {
  const { stage, watch, tell } = all;
  const before = await settledHeld(stage, running);
  tell('releasing …');
  forgetPeak(running.pid);
  const [templatesBefore, beganMs, startMs] = [watch.changes.length, Date.now(), performance.now()];
  const [lastMs] = await Promise.all([watch.allChanged(fleet.deployments, releaseTimeoutMs), release(stage)]);
  await watch.quiet(calmMs);
  await silence(stage);
  const after = processUsage(running.pid);
  const requests = await requestsIn(stage, beganMs);
  return {
    tookMs: lastMs - startMs,
    cpuSeconds: after.cpuSeconds - before.cpuSeconds,
    heldBytes: before.residentBytes,
    peakBytes: after.peakResidentBytes,
    newTemplates: watch.changes.slice(templatesBefore).map(({ deployment }) => deployment),
    patches: requests.filter(isRestart).length,
  };
}

/** Changes what all use once more, with a rate and an order. */
async function paced(all: Held): Promise<PacedRestarts> {
  const { stage, watch, tell } = all;
  await setWaves(stage, fleet.inEach);
  return await whileRunning(
    all,
    async (running) => {
      const before = await settled(running);
      await watch.quiet(calmMs);
      tell(`restarting ${pace.count} a second …`);
      const [changesBefore, sinceMs] = [watch.changes.length, Date.now()];
      await Promise.all([watch.allChanged(fleet.deployments, releaseTimeoutMs), oweAll(stage)]);
      await watch.quiet(calmMs);
      const { cpuSeconds } = processUsage(running.pid);
      return {
        ...{ size: fleet.size, inEach: fleet.inEach },
        cpuSeconds: cpuSeconds - before.cpuSeconds,
        changes: watch.changes.slice(changesBefore),
        patchedMs: (await requestsIn(stage, sinceMs)).filter(isRestart).map(({ atMs }) => atMs),
      };
    },
    pace.flags,
  );
}

function isRestart({ verb, resource }: StageRequest): boolean {
  return verb === 'patch' && resource === 'deployments';
}

async function eachStart(
  all: Held,
  which: string,
  usageOf: (running: RunningSubject) => Promise<ProcessUsage>,
): Promise<readonly ProcessUsage[]> {
  const usages: ProcessUsage[] = [];
  for (let start = 1; start <= starts; start++) {
    all.tell(`${which}: start ${start} of ${starts} …`);
    usages.push(await whileRunning(all, usageOf));
  }
  return usages;
}

async function whileRunning<T>(
  { subject, access, probe }: Held,
  act: (running: RunningSubject) => Promise<T>,
  flags: readonly string[] = [],
): Promise<T> {
  const running = subject.start(access, flags);
  try {
    await synced(subject, running, probe);
    return await act(running);
  } finally {
    await running.end();
  }
}
