import { setTimeout as delay } from 'node:timers/promises';
import { startBareTimer } from './bare-timer';
import type { Setting } from './benches';
import { bigCluster, bigClusterConditions, fillBigCluster } from './big-cluster';
import { makeKnown, settled, synced } from './cold-start';
import type { Probe } from './probe';
import { processUsage } from './process-usage';
import type { Figure, Measured } from './result';
import type { Stage } from './stage';
import { described, type Access, type Subject } from './subject';
import { isWholeList } from './whole-lists';

/** Reroll reopens a watch after 90 s of silence, and the server ends each watch after 5 to 10 minutes. */
const quietSeconds = 600;

interface Quiet {
  readonly subject: Subject;
  readonly stage: Stage;
  readonly access: Access;
  readonly probe: Probe;
  readonly tell: (what: string) => void;
}

/** The bench `idle`: the cost of a cluster in which nothing changes. */
export async function measureIdle({ openStage, subject, tell }: Setting): Promise<Measured> {
  const stage = await openStage();
  try {
    await fillBigCluster(stage, tell);
    tell('the first start, which records baselines …');
    const { probe, access } = await makeKnown(stage, subject, bigCluster.workloads);
    return {
      conditions: {
        subject: described(subject, access),
        stage: stage.description,
        ...bigClusterConditions,
        quiet: `${quietSeconds} s after it settled, in which each of its watches ends and begins again`,
      },
      figures: await quietFigures({ subject, stage, access, probe, tell }),
    };
  } finally {
    await stage.stop();
  }
}

/** Measures the subject on a cluster on which it has been started before. */
async function quietFigures({ subject, stage, access, probe, tell }: Quiet): Promise<readonly Figure[]> {
  const timer = await startBareTimer();
  const running = subject.start(access);
  try {
    await synced(subject, running, probe);
    await settled(running);
    tell(`${quietSeconds} s of quiet …`);
    const [asked, before, startMs] = [await stage.requestsOf('subject'), processUsage(running.pid), performance.now()];
    const timerBefore = timer.cpuSeconds();
    await delay(quietSeconds * 1000);
    const after = processUsage(running.pid);
    const timerSeconds = timer.cpuSeconds() - timerBefore;
    const minutes = (performance.now() - startMs) / 60_000;
    const requests = (await stage.requestsOf('subject')).slice(asked.length);
    const leases = requests.filter(({ resource }) => resource === 'leases');
    const others = requests.length - leases.length;
    const ofCore = (cpuSeconds: number): number => (cpuSeconds / (minutes * 60)) * 100;
    return [
      { name: 'of a core', value: ofCore(after.cpuSeconds - before.cpuSeconds), unit: '%', bar: { atMost: 0.5 } },
      { name: 'of a core, of a process with a timer alone', value: ofCore(timerSeconds), unit: '%' },
      { name: 'requests beside lease renewals', value: others / minutes, unit: '/min', bar: { atMost: 6 } },
      { name: 'watches begun again', value: requests.filter(({ verb }) => verb === 'watch').length, unit: '' },
      { name: 'whole lists read', value: requests.filter(isWholeList).length, unit: '' },
      { name: 'lease renewals', value: leases.length / minutes, unit: '/min' },
      { name: 'RSS', value: after.residentBytes / 1024 ** 2, unit: 'MiB' },
    ];
  } finally {
    timer.end();
    await running.end();
  }
}
