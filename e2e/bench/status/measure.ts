import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { configMap, deployment, fromConfigMap, seed } from '../../apiserver/cluster';
import { pollUntil } from '../../control-plane/poll';
import { freePorts } from '../../control-plane/ports';
import type { Setting } from '../benches';
import { settled } from '../cold-start';
import { forgetPeak, processUsage, type ProcessUsage } from '../process-usage';
import type { Figure, Measured } from '../result';
import { openSimulatedStage, type SimulatedStage } from '../stage';
import { quantile } from '../statistics';
import { accessTo, described, type RunningSubject } from '../subject';
import { readTables, type TableReads } from './table-reader';

const cluster = { workloads: 10_000, namespaces: 10 };
const asked = { perSecond: 10, seconds: 30 };
const mib = 1024 * 1024;

/** No two rows tell the same time, as in a cluster: equal ones would compress too well. */
const [firstRestartMs, betweenRestartsMs] = [Date.UTC(2026, 0, 1), 1_234_567];

/** The bench `status`: what it costs the leader that people watch the state of all workloads. */
export async function measureStatus({ subject, tell }: Setting): Promise<Measured> {
  const stage = await openSimulatedStage();
  try {
    tell(`${cluster.workloads} workloads: filling …`);
    await fill(stage);
    const access = await accessTo(stage);
    const conditions = {
      subject: described(subject, access),
      stage: stage.description,
      workloads: `${cluster.workloads} opted-in Deployments in ${cluster.namespaces} namespaces, each restarted once, with a ConfigMap of its own`,
      asked: `the whole table, page after page, ${asked.perSecond} times a second for ${asked.seconds} s`,
    };
    // Another implementation cannot be asked.
    if (!subject.isReroll) return { conditions, figures: [] };
    const [port = 0] = await freePorts(1);
    const running = subject.start(access, [`--inspection-listen=127.0.0.1:${port}`]);
    try {
      await allKnown(running, tell);
      return { conditions, figures: await figures(running, port, tell) };
    } finally {
      await running.end();
    }
  } finally {
    await stage.stop();
  }
}

async function fill({ server }: SimulatedStage): Promise<void> {
  for (let index = 0; index < cluster.workloads; index++) {
    // The server is in this process: what a connection brings must be seen in time.
    if (index % 500 === 0) await nextTurn();
    const [namespace, name] = [`team-${index % cluster.namespaces}`, `config-${index}`];
    seed(server, configMap({ name, namespace, data: { color: 'red' } }));
    const envFrom = [fromConfigMap(name)];
    const at = new Date(firstRestartMs + index * betweenRestartsMs).toISOString();
    const by = [`system:serviceaccount:${namespace}:deployer-${index % 50}`];
    const lastRestart = JSON.stringify({ at, id: '3f9c2a71', sources: {}, by });
    const annotations = { 'reloader.stakater.com/auto': 'true', 'reroll.dev/last-restart': lastRestart };
    seed(server, deployment({ name: `app-${index}`, namespace, replicas: 0, annotations, envFrom }));
  }
}

/** Resolves when each workload has a baseline and nothing is left to do. */
async function allKnown(running: RunningSubject, tell: (what: string) => void): Promise<void> {
  tell('the first start, which records baselines …');
  await running.ready();
  await pollUntil(
    `${cluster.workloads} baselines to be recorded`,
    async () => {
      const recorded = (await running.metrics())?.sum('reroll_adoptions_total') ?? 0;
      return recorded >= cluster.workloads ? true : undefined;
    },
    { timeoutMs: 600_000, intervalMs: 1_000 },
  );
  await settled(running);
}

async function figures(running: RunningSubject, port: number, tell: (what: string) => void) {
  tell(`${asked.seconds} s in which nobody asks …`);
  const idle = await used(running, async () => await delay(asked.seconds * 1000));
  tell(`${asked.seconds} s in which somebody asks …`);
  const everyMs = 1000 / asked.perSecond;
  const busy = await used(running, async () => await readTables(port, { everyMs, forMs: asked.seconds * 1000 }));
  return [...costs(idle, busy), ...answers(busy)];
}

/** What the subject used while something was done. */
interface Used<Done> {
  readonly done: Done;
  readonly seconds: number;
  readonly before: ProcessUsage;
  readonly after: ProcessUsage;
}

async function used<Done>({ pid }: RunningSubject, doIt: () => Promise<Done>): Promise<Used<Done>> {
  forgetPeak(pid);
  const before = processUsage(pid);
  const startMs = performance.now();
  const done = await doIt();
  return { done, seconds: (performance.now() - startMs) / 1000, before, after: processUsage(pid) };
}

function costs(idle: Used<void>, busy: Used<TableReads>): readonly Figure[] {
  const [quiet, all] = [coreShare(idle), coreShare(busy)];
  const resident = idle.after.residentBytes;
  return [
    { name: 'of a core, while nobody asks', value: quiet, unit: '%' },
    { name: 'of a core, while somebody asks', value: all, unit: '%' },
    { name: 'of a core, for the answers', value: all - quiet, unit: '%', bar: { atMost: 20 } },
    { name: 'RSS while nobody asks', value: resident / mib, unit: 'MiB' },
    {
      ...{ name: 'peak RSS over that, while somebody asks', unit: 'MiB', bar: { atMost: 10 } },
      value: (busy.after.peakResidentBytes - resident) / mib,
    },
  ];
}

function coreShare({ before, after, seconds }: Used<unknown>): number {
  return ((after.cpuSeconds - before.cpuSeconds) / seconds) * 100;
}

function answers({ done: { rows, pageMs, tableMs }, seconds }: Used<TableReads>): readonly Figure[] {
  return [
    { name: 'rows of a table', value: rows, unit: '', bar: { exactly: cluster.workloads } },
    { name: 'tables read', value: tableMs.length / seconds, unit: '/s', bar: { atLeast: 0.9 * asked.perSecond } },
    { name: 'a page, p50', value: quantile(pageMs, 0.5), unit: 'ms' },
    { name: 'a page, p99', value: quantile(pageMs, 0.99), unit: 'ms' },
    { name: 'a table, p50', value: quantile(tableMs, 0.5), unit: 'ms' },
    { name: 'a table, p99', value: quantile(tableMs, 0.99), unit: 'ms' },
  ];
}
