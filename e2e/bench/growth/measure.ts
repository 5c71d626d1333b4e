import { setTimeout as delay } from 'node:timers/promises';
import type { Setting } from '../benches';
import { makeKnown, settled, synced } from '../cold-start';
import { processUsage } from '../process-usage';
import type { Figure, Measured } from '../result';
import { median } from '../statistics';
import { described, type Access, type RunningSubject, type Subject } from '../subject';
import { editedSources, GrownStage } from './grown-stage';
import { slope } from './slope';

const sizes = [
  { objects: 1_000, workloads: 10 },
  { objects: 10_000, workloads: 100 },
  { objects: 35_000, workloads: 500 },
  { objects: 100_000, workloads: 1_000 },
];

const starts = 3;
const rounds = 5;
const edits = { count: 5_000, atOnce: 50, everyMs: 20 };
/** Before a round whatever came before it is done, and after it all that it caused. */
const calmMs = 1_000;

const mib = 1024 * 1024;

/** A cluster with a subject at work on it. */
interface Grown {
  readonly cluster: GrownStage;
  readonly access: Access;
  readonly running: RunningSubject;
  readonly residentBytes: readonly number[];
  readonly heapBytes: readonly number[];
  readonly microsPerEvent: number[];
}

/** The bench `growth`: what one more object costs. */
export async function measureGrowth({ subject, tell }: Setting): Promise<Measured> {
  const all: Grown[] = [];
  const clusters: GrownStage[] = [];
  try {
    for (const { objects, workloads } of sizes) {
      tell(`${objects} objects: filling …`);
      const cluster = await GrownStage.open(objects, workloads);
      clusters.push(cluster);
      all.push(await grown(cluster, subject, tell));
    }
    // In turn, so that whatever else the machine does is spread over all sizes.
    for (let round = 1; round <= rounds; round++) {
      tell(`${edits.count} edits at each size, round ${round} of ${rounds} …`);
      for (const one of all) one.microsPerEvent.push(await microsPerEvent(one));
    }
    return {
      conditions: {
        subject: all.map(({ access }) => described(subject, access))[0] ?? subject.name,
        stage: 'the simulated API server, over TLS',
        objects: 'half ConfigMaps, half Secrets, four keys of 23 bytes each, in 10 namespaces',
        workloads: sizes.map(({ objects, workloads }) => `${workloads} at ${objects}`).join(', '),
        memory: `median of ${starts} starts at each size; what workloads need is counted as if objects did`,
        events: `${rounds} rounds of ${edits.count} edits of ${editedSources} sources that nobody uses, ${(edits.atOnce * 1000) / edits.everyMs} a second`,
      },
      figures: [...memoryFigures(all), ...eventFigures(all)],
    };
  } finally {
    for (const { running } of all) await running.end();
    for (const { stage } of clusters) await stage.stop();
  }
}

async function grown(cluster: GrownStage, subject: Subject, tell: (what: string) => void): Promise<Grown> {
  const { stage, objects, workloads } = cluster;
  const { probe, access } = await makeKnown(stage, subject, workloads);
  const [residentBytes, heapBytes]: [number[], number[]] = [[], []];
  for (let run = 1; ; run++) {
    tell(`${objects} objects: start ${run} of ${starts} …`);
    const running = subject.start(access);
    try {
      await synced(subject, running, probe);
      residentBytes.push((await settled(running)).residentBytes);
      heapBytes.push((await running.metrics())?.sum('nodejs_heap_size_used_bytes') ?? NaN);
    } catch (error) {
      await running.end();
      throw error;
    }
    if (run === starts) return { cluster, access, running, residentBytes, heapBytes, microsPerEvent: [] };
    await running.end();
  }
}

async function microsPerEvent({ cluster, running }: Grown): Promise<number> {
  const seenBefore = await eventsSeen(running);
  await delay(calmMs);
  const before = processUsage(running.pid);
  for (let done = 0; done < edits.count; done += edits.atOnce) {
    const nextMs = performance.now() + edits.everyMs;
    for (let one = 0; one < edits.atOnce; one++) await cluster.edit();
    await delay(Math.max(0, nextMs - performance.now()));
  }
  await delay(calmMs);
  const { cpuSeconds } = processUsage(running.pid);
  const seen = await eventsSeen(running);
  if (seen !== undefined && seen - (seenBefore ?? 0) !== edits.count) {
    throw new Error(`after ${calmMs} ms the subject has seen ${seen - (seenBefore ?? 0)} of ${edits.count} edits`);
  }
  return ((cpuSeconds - before.cpuSeconds) / edits.count) * 1e6;
}

/** Where it cannot be asked, it is believed. */
async function eventsSeen(running: RunningSubject): Promise<number | undefined> {
  return (await running.metrics())?.sum('reloader_events_received_total', { event_type: 'update' });
}

function memoryFigures(all: readonly Grown[]): readonly Figure[] {
  const perObject = (bytesOf: (one: Grown) => readonly number[]): number =>
    slope(all.map((one) => [one.cluster.objects, median(bytesOf(one))]));
  const nameBytes = all[0]?.cluster.nameBytes ?? NaN;
  const heap = perObject(({ heapBytes }) => heapBytes);
  return [
    ...all.map(({ cluster: { objects }, residentBytes }) => ({
      ...{ name: `settled RSS at ${objects} objects`, unit: 'MiB' },
      value: median(residentBytes) / mib,
      runs: residentBytes.map((bytes) => bytes / mib),
    })),
    {
      ...{ name: 'RSS for one more object beyond its name', unit: 'bytes', bar: { atMost: 300 } },
      value: perObject(({ residentBytes }) => residentBytes) - nameBytes,
    },
    ...(Number.isNaN(heap)
      ? []
      : [{ name: 'heap for one more object beyond its name', value: heap - nameBytes, unit: 'bytes' }]),
  ];
}

function eventFigures(all: readonly Grown[]): readonly Figure[] {
  const medians = all.map((one) => median(one.microsPerEvent));
  return [
    ...all.map(({ cluster: { objects }, microsPerEvent: runs }) => ({
      ...{ name: `CPU for an event at ${objects} objects`, unit: 'µs', value: median(runs), runs },
    })),
    {
      ...{ name: 'CPU for an event, the most objects to the least', unit: '×', bar: { atMost: 1.3 } },
      value: (medians.at(-1) ?? NaN) / (medians[0] ?? NaN),
    },
  ];
}
