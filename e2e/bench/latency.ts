import { setTimeout as delay } from 'node:timers/promises';
import type { Setting } from './benches';
import { createEditedConfigMaps, edit, editedBytes } from './edits';
import { startFloor } from './floor/floor';
import { createDeployments } from './population';
import { processUsage } from './process-usage';
import type { Figure, Measured } from './result';
import { served, untilItServes } from './served';
import { createNamespace, type Stage } from './stage';
import { median, quantile } from './statistics';
import { whileStopped } from './stopped-process';
import { accessTo, described, type Access } from './subject';
import { TemplateWatch } from './template-watch';

const sizes = [50, 500, 2_000];
/** Rounds of the subject and of the floor alternate. */
const rounds = 10;
const changesARound = 50;
const pauseMs = 20;

const namespace = 'workloads';
const floorNamespace = 'floor';
/** As many as the subject's smallest size: no Deployment is changed while its controller works on an earlier change. */
const floorDeployments = 50;

/** Latency of a change since its write was sent and since it was answered. The change was stored in between. */
interface Latency {
  readonly sinceSentMs: number;
  readonly sinceAnsweredMs: number;
}

/** The latencies of each round. */
type Rounds = readonly (readonly Latency[])[];

interface AtSize {
  readonly size: number;
  readonly subject: Rounds;
  readonly floor: Rounds;
  /** CPU time per change, on average. */
  readonly cpuMs: { readonly subject: number; readonly floor: number };
  /** GET and LIST requests of the subject per change, on average: each costs a round trip to the API server. */
  readonly reads: number;
}

interface Place {
  readonly stage: Stage;
  readonly access: Access;
  /** Number of Deployments. */
  readonly size: number;
}

/** The bench `latency`: from a stored change of a ConfigMap to the new template of its Deployment, without settling. */
export async function measureLatency(setting: Setting): Promise<Measured> {
  const measured: AtSize[] = [];
  let [stageDescription, subjectDescription] = ['', ''];
  for (const size of sizes) {
    const stage = await setting.openStage();
    try {
      const access = await accessTo(stage);
      [stageDescription, subjectDescription] = [stage.description, described(setting.subject, access)];
      measured.push(await atSize(setting, { stage, access, size }));
    } finally {
      await stage.stop();
    }
  }
  return {
    conditions: {
      stage: stageDescription,
      subject: subjectDescription,
      workloads: `${sizes.join(', ')} Deployments without pods, each with a ConfigMap of ${editedBytes / 1024} KiB`,
      changes: `one at a time, ${rounds} rounds of ${changesARound}, ${pauseMs} ms apart`,
      floor: 'measured in turn with the subject, which is stopped meanwhile',
    },
    figures: latencyFigures(measured),
  };
}

async function atSize({ subject, tell }: Setting, { stage, access, size }: Place): Promise<AtSize> {
  tell(`${size} workloads: filling …`);
  const watch = await TemplateWatch.open(stage);
  for (const one of [namespace, floorNamespace]) await createNamespace(stage.api, one);
  await createEditedConfigMaps(stage, namespace, size);
  await createEditedConfigMaps(stage, floorNamespace, 1);
  await createDeployments(stage, namespace, size);
  await createDeployments(stage, floorNamespace, floorDeployments, { sourceOf: () => 0, optedIn: false });
  const running = subject.start(access, ['--settle=0s']);
  try {
    await untilItServes(stage, running, watch, namespace);
    const deployments = Array.from({ length: floorDeployments }, (_, index) => `app-${index}`);
    const floor = await startFloor(stage, { namespace: floorNamespace, source: 'config-0', deployments, inTurn: true });
    try {
      const ofSubject = async (change: number): Promise<Latency> =>
        await latencyOf(stage, watch, namespace, change % size, change % size);
      const ofFloor = async (change: number): Promise<Latency> =>
        await latencyOf(stage, watch, floorNamespace, 0, change % floorDeployments);
      const before = { subject: [] as Latency[][], floor: [] as Latency[][] };
      const cpuMs = { subject: 0, floor: 0 };
      const begunMs = Date.now();
      // The first round warms up.
      for (let round = 0; round <= rounds; round++) {
        tell(`${size} workloads: round ${round} of ${rounds} …`);
        const usedMs = cpuMsOf(running.pid);
        before.subject.push(await oneRound(round, ofSubject));
        const ofRoundMs = cpuMsOf(running.pid) - usedMs;
        const usedByFloorMs = cpuMsOf(floor.pid);
        before.floor.push(await whileStopped(running.pid, async () => await oneRound(round, ofFloor)));
        if (round === 0) continue;
        cpuMs.subject += ofRoundMs / (rounds * changesARound);
        cpuMs.floor += (cpuMsOf(floor.pid) - usedByFloorMs) / (rounds * changesARound);
      }
      const reads = (await stage.requestsOf('subject')).filter(
        ({ verb, atMs }) => (verb === 'list' || verb === 'get') && atMs >= begunMs,
      );
      return {
        ...{ size, subject: before.subject.slice(1), floor: before.floor.slice(1), cpuMs },
        reads: reads.length / ((rounds + 1) * changesARound),
      };
    } finally {
      await floor.end();
    }
  } finally {
    await running.end();
  }
}

function cpuMsOf(pid: number): number {
  return processUsage(pid).cpuSeconds * 1000;
}

async function oneRound(round: number, one: (change: number) => Promise<Latency>): Promise<Latency[]> {
  const latencies: Latency[] = [];
  for (let change = 0; change < changesARound; change++) {
    latencies.push(await one(round * changesARound + change));
    await delay(pauseMs);
  }
  return latencies;
}

async function latencyOf(
  stage: Stage,
  watch: TemplateWatch,
  within: string,
  source: number,
  workload: number,
): Promise<Latency> {
  const change = async () => await edit(stage, 'configmaps', within, `config-${source}`);
  const { sentMs, answeredMs, seenMs } = await served(watch, [`${within}/app-${workload}`], change);
  return { sinceSentMs: seenMs - sentMs, sinceAnsweredMs: seenMs - answeredMs };
}

/** The bars apply to the time since the write was sent, which is before the change is stored, for subject and floor. */
export function latencyFigures(measured: readonly AtSize[]): readonly Figure[] {
  const least = measured[0];
  const most = measured.at(-1);
  const grown = (what: 'subject' | 'floor'): number =>
    least && most ? median(p50s(most[what])) / median(p50s(least[what])) : NaN;
  return [
    ...measured.flatMap(figuresAtSize),
    {
      name: `p50 with ${most?.size ?? 0} workloads, in that with ${least?.size ?? 0}`,
      value: grown('subject'),
      unit: '',
    },
    { name: 'the same of the floor, whose work stays the same', value: grown('floor'), unit: '' },
    // With more objects, the API server is slower for any client, so the bar is relative to the floor.
    {
      ...{ name: 'growth of p50, in that of the floor', unit: '', bar: { atMost: 1.2 } },
      value: grown('subject') / grown('floor'),
    },
  ];
}

function figuresAtSize({ size, subject, floor, cpuMs, reads }: AtSize): readonly Figure[] {
  const at = `${size} workloads`;
  const [own, ofFloor] = [p50s(subject), p50s(floor)];
  // Ratios of neighbouring rounds: other load on the machine affects both.
  const ratios = own.map((p50, round) => p50 / (ofFloor[round] ?? NaN));
  const answered = [subject, floor].map((rounds) => median(p50s(rounds, 'sinceAnsweredMs')));
  return [
    { name: `${at}, p50`, value: median(own), unit: 'ms', runs: own },
    { name: `${at}, p50 of the floor`, value: median(ofFloor), unit: 'ms', runs: ofFloor },
    { name: `${at}, p50 in floors`, value: median(ratios), unit: '', runs: ratios, bar: { atMost: 1.2 } },
    { name: `${at}, p50 since the answer to the write`, value: answered[0] ?? NaN, unit: 'ms' },
    { name: `${at}, p50 since the answer to the write, of the floor`, value: answered[1] ?? NaN, unit: 'ms' },
    { name: `${at}, CPU for a change`, value: cpuMs.subject, unit: 'ms' },
    { name: `${at}, CPU for a change, of the floor`, value: cpuMs.floor, unit: 'ms' },
    { name: `${at}, GET and LIST for a change`, value: reads, unit: '' },
    ...(['p90', 'p99'] as const).flatMap((name) => {
      const [tail, tailOfFloor] = [overAll(subject, tailShares[name]), overAll(floor, tailShares[name])];
      return [
        { name: `${at}, ${name}`, value: tail, unit: 'ms' },
        { name: `${at}, ${name} of the floor`, value: tailOfFloor, unit: 'ms' },
        {
          name: `${at}, ${name} in floors`,
          ...{ value: tail / tailOfFloor, unit: '', ...(name === 'p99' && { bar: { atMost: 2 } }) },
        },
      ];
    }),
  ];
}

const tailShares = { p90: 0.9, p99: 0.99 } as const;

function p50s(rounds: Rounds, since: keyof Latency = 'sinceSentMs'): readonly number[] {
  return rounds.map((latencies) => median(latencies.map((latency) => latency[since])));
}

/** A quantile over all rounds: one round has too few changes for its tail. */
function overAll(rounds: Rounds, share: number): number {
  return quantile(
    rounds.flat().map(({ sinceSentMs }) => sinceSentMs),
    share,
  );
}
