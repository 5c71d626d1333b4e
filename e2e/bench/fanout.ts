import { setTimeout as delay } from 'node:timers/promises';
import type { Setting } from './benches';
import { createEditedConfigMaps, edit, editedBytes } from './edits';
import { startFloor } from './floor/floor';
import { createDeployments } from './population';
import { connectionsTo } from './process-sockets';
import type { Figure, Measured } from './result';
import { served, untilItServes, type Served } from './served';
import { createNamespace, type Stage, type StageRequest } from './stage';
import { median } from './statistics';
import { whileStopped } from './stopped-process';
import { accessTo, described, type RunningSubject } from './subject';
import { TemplateWatch } from './template-watch';

const workloads = 1_000;
/** Runs of the subject and of the floor alternate. */
const runs = 5;
/** Long enough for the Deployment controller to create all ReplicaSets. */
const quietMs = 3_000;

/** Another source with its own Deployment is changed `aloneARun` times before each fan-out, and once during it. */
const aloneARun = 10;
const alonePauseMs = 20;
const intoFanoutMs = 50;

const connectionsPollMs = 20;

const [namespace, otherNamespace, floorNamespace, otherFloorNamespace] = [
  'workloads',
  'others',
  'floor',
  'other-floor',
];

interface Fanout {
  /** From when the edit was sent to the last new template. */
  readonly tookMs: number;
  /** The change of another source during the fan-out. */
  readonly meanwhile: Served;
}

interface Run {
  readonly alone: readonly Served[];
  readonly subject: Fanout;
  /** A separate floor process serves the other source and has nothing else to do. */
  readonly floor: Fanout;
  /** The maximum number of concurrent connections of the subject, including watches. */
  readonly connections: number;
  /** The subject's requests from the edit to the last new template. */
  readonly requests: readonly StageRequest[];
}

/** The bench `fanout`: changes one ConfigMap that all Deployments of a namespace use. */
export async function measureFanout(setting: Setting): Promise<Measured> {
  const { subject, tell } = setting;
  const stage = await setting.openStage();
  try {
    tell(`filling with ${2 * workloads} Deployments …`);
    const watch = await TemplateWatch.open(stage);
    for (const one of [namespace, otherNamespace, floorNamespace, otherFloorNamespace]) {
      await createNamespace(stage.api, one);
      await createEditedConfigMaps(stage, one, 1);
    }
    await createDeployments(stage, namespace, workloads, { sourceOf: () => 0 });
    await createDeployments(stage, otherNamespace, 1);
    await createDeployments(stage, floorNamespace, workloads, { sourceOf: () => 0, optedIn: false });
    await createDeployments(stage, otherFloorNamespace, 1, { optedIn: false });
    const access = await accessTo(stage);
    const running = subject.start(access, ['--settle=0s']);
    try {
      await untilItServes(stage, running, watch, namespace);
      await watch.quiet(quietMs);
      const deployments = Array.from({ length: workloads }, (_, index) => `app-${index}`);
      const task = { namespace: floorNamespace, source: 'config-0', deployments, inTurn: false };
      const otherTask = { namespace: otherFloorNamespace, source: 'config-0', deployments: ['app-0'], inTurn: false };
      const floors = [await startFloor(stage, task), await startFloor(stage, otherTask)];
      try {
        // Warms up the floor, as `untilItServes` did for the subject.
        await floorRun(stage, watch, running);
        const all: Run[] = [];
        for (let run = 1; run <= runs; run++) {
          tell(`run ${run} of ${runs} …`);
          all.push(await oneRun(stage, watch, running));
        }
        const watches = watchesAmong(await stage.requestsOf('subject'));
        return {
          conditions: {
            stage: stage.description,
            subject: described(subject, access),
            workloads: `${workloads} Deployments without pods, all of one ConfigMap of ${editedBytes / 1024} KiB`,
            runs: `${runs}, each in turn with the floor's, which has ${workloads} Deployments of its own; the subject is stopped meanwhile`,
            'another source': `${aloneARun} changes alone before each run, one ${intoFanoutMs} ms after its start; the floor's has a floor of its own`,
          },
          figures: fanoutFigures(all, subject.isReroll ? watches : undefined),
        };
      } finally {
        for (const floor of floors) await floor.end();
      }
    } finally {
      await running.end();
    }
  } finally {
    await stage.stop();
  }
}

async function oneRun(stage: Stage, watch: TemplateWatch, running: RunningSubject): Promise<Run> {
  const alone: Served[] = [];
  for (let change = 0; change < aloneARun; change++) {
    alone.push(await editOther(stage, watch, otherNamespace));
    await delay(alonePauseMs);
  }
  await watch.quiet(quietMs);
  const begunMs = Date.now();
  const fanout = fanOut(stage, watch, namespace, otherNamespace);
  const [subject, connections] = await Promise.all([fanout, mostConnections(stage, running, fanout)]);
  const endedMs = Date.now();
  await watch.quiet(quietMs);
  const requests = (await stage.requestsOf('subject')).filter(({ atMs }) => atMs >= begunMs && atMs <= endedMs);
  return { alone, subject, floor: await floorRun(stage, watch, running), connections, requests };
}

/** The subject is stopped only during the fan-out: a stopped process answers no probes. */
async function floorRun(stage: Stage, watch: TemplateWatch, { pid }: RunningSubject): Promise<Fanout> {
  const run = async (): Promise<Fanout> => await fanOut(stage, watch, floorNamespace, otherFloorNamespace);
  const fanout = await whileStopped(pid, run);
  await watch.quiet(quietMs);
  return fanout;
}

async function fanOut(stage: Stage, watch: TemplateWatch, within: string, other: string): Promise<Fanout> {
  const deployments = Array.from({ length: workloads }, (_, index) => `${within}/app-${index}`);
  const change = async () => await edit(stage, 'configmaps', within, 'config-0');
  const [{ sentMs, seenMs }, meanwhile] = await Promise.all([
    served(watch, deployments, change),
    delay(intoFanoutMs).then(async () => await editOther(stage, watch, other)),
  ]);
  return { tookMs: seenMs - sentMs, meanwhile };
}

async function editOther(stage: Stage, watch: TemplateWatch, within: string): Promise<Served> {
  const change = async () => await edit(stage, 'configmaps', within, 'config-0');
  return await served(watch, [`${within}/app-0`], change);
}

async function mostConnections(stage: Stage, { pid }: RunningSubject, until: Promise<unknown>): Promise<number> {
  const port = Number(new URL(stage.url).port);
  const ended = until.then(
    () => true,
    () => true,
  );
  let most = 0;
  do most = Math.max(most, connectionsTo(pid, port));
  while (!(await Promise.race([ended, delay(connectionsPollMs, false)])));
  return most;
}

/**
 * Number of watches, each over a connection of its own. A watch that ended and was asked for again counts once. The same
 * resource may be watched twice: whole, and one object of it by its name.
 */
export function watchesAmong(requests: readonly StageRequest[]): number {
  const watched = requests
    .filter(is('watch'))
    .map(({ path }) => new URL(path, 'https://localhost'))
    .map(({ pathname, searchParams }) => `${pathname} ${searchParams.get('fieldSelector') ?? ''}`);
  return new Set(watched).size;
}

/** `watches` is the number of the subject's connections that are watches; undefined if unknown. */
export function fanoutFigures(all: readonly Run[], watches: number | undefined): readonly Figure[] {
  const of = (value: (run: Run) => number): Pick<Figure, 'value' | 'runs'> => {
    const values = all.map(value);
    return { value: median(values), runs: values };
  };
  const asked = (verb: string): number => Math.max(...all.map(({ requests }) => requests.filter(is(verb)).length));
  const latency = ({ seenMs, sentMs }: Served): number => seenMs - sentMs;
  const alone = median(all.flatMap((run) => run.alone.map(latency)));
  const writeAlone = median(all.flatMap((run) => run.alone.map(writeOf)));
  const connections = Math.max(...all.map((run) => run.connections));
  return [
    { name: 'until the last new template', unit: 'ms', ...of(({ subject }) => subject.tookMs) },
    { name: 'until the last new template, by the floor', unit: 'ms', ...of(({ floor }) => floor.tookMs) },
    {
      name: 'until the last new template, in floors',
      ...{ unit: '', ...of(({ subject, floor }) => subject.tookMs / floor.tookMs), bar: { atMost: 1.3 } },
    },
    { name: 'LIST meanwhile, the most', value: asked('list'), unit: '', bar: { atMost: 0 } },
    { name: 'GET meanwhile, the most', value: asked('get'), unit: '', bar: { atMost: 0 } },
    { name: 'PATCH meanwhile, the most', value: asked('patch'), unit: '' },
    watches === undefined
      ? { name: 'connections, watches among them, the most', value: connections, unit: '' }
      : { name: 'connections beside watches, the most', value: connections - watches, unit: '', bar: { atMost: 16 } },
    { name: 'latency of another source, alone', value: alone, unit: 'ms' },
    { name: 'latency of another source, meanwhile', unit: 'ms', ...of(({ subject }) => latency(subject.meanwhile)) },
    {
      name: 'latency of another source, meanwhile in alone',
      ...{ unit: '', ...of(({ subject }) => latency(subject.meanwhile) / alone), bar: { atMost: 2 } },
    },
    // For comparison: the busy API server slows this write down as it does the restart.
    {
      name: 'write of another source, meanwhile in alone',
      ...{ unit: '', ...of(({ subject }) => writeOf(subject.meanwhile) / writeAlone) },
    },
    // For comparison: even the smallest possible reloader is slower beside one that writes as fast as it can.
    {
      name: 'latency of another source, meanwhile in alone, of the floor',
      ...{ unit: '', ...of(({ floor }) => latency(floor.meanwhile) / alone) },
    },
  ];
}

function is(wanted: string): (request: StageRequest) => boolean {
  return ({ verb }) => verb === wanted;
}

function writeOf({ sentMs, answeredMs }: Served): number {
  return answeredMs - sentMs;
}
