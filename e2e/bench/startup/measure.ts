import type { Setting } from '../benches';
import { bigCluster, bigClusterConditions, fillBigCluster } from '../big-cluster';
import { idle, makeKnown, synced } from '../cold-start';
import { contentSize } from '../population';
import type { Probe } from '../probe';
import { processUsage } from '../process-usage';
import type { Measured } from '../result';
import { median } from '../statistics';
import { described, type Access, type Subject } from '../subject';
import { Curl, type CurlRequest } from './curl';

const runs = 5;

/** The whole state as the first part of a watch, with the contents: what a reloader that keeps all of it has to read. */
const watchList = 'watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
const protobuf = 'application/vnd.kubernetes.protobuf';

const sources = [
  { plural: 'secrets', leastBytes: contentSize(bigCluster.inEach.secrets) * bigCluster.namespaces.length },
  { plural: 'configmaps', leastBytes: contentSize(bigCluster.inEach.configMaps) * bigCluster.namespaces.length },
];
const streams: readonly CurlRequest[] = sources.map(({ plural, leastBytes }) => ({
  path: `/api/v1/${plural}?${watchList}&timeoutSeconds=300`,
  accept: `${protobuf};stream=watch`,
  leastBytes,
}));
const lists: readonly CurlRequest[] = sources.map(({ plural, leastBytes }) => ({
  path: `/api/v1/${plural}`,
  accept: protobuf,
  leastBytes,
}));

interface Start {
  readonly syncedMs: number;
  readonly cpuSeconds: number;
  readonly actedMs: number;
  /** From the start of the process until every workload was compared with what its sources hold. */
  readonly lookedMs: number;
}

/** The bench `startup`: from the start of the process until it knows a large cluster, beside curl reading all of it. */
export async function measureStartup({ openStage, subject, tell }: Setting): Promise<Measured> {
  const stage = await openStage();
  try {
    await fillBigCluster(stage, tell);
    tell('the first start, which records baselines …');
    const { probe, access } = await makeKnown(stage, subject, bigCluster.workloads);
    const curl = await Curl.for(stage);
    const starts: Start[] = [];
    const streamed: number[] = [];
    const listed: number[] = [];
    let bytes = 0;
    try {
      for (let run = 1; run <= runs; run++) {
        tell(`run ${run} of ${runs}: curl, the subject, curl …`);
        const stream = await curl.streams(streams);
        bytes = stream.bytes;
        streamed.push(stream.ms);
        starts.push(await started(subject, access, probe));
        listed.push((await curl.whole(lists)).ms);
      }
    } finally {
      curl.dispose();
    }
    const syncedMs = starts.map((start) => start.syncedMs);
    const cpuSeconds = starts.map((start) => start.cpuSeconds);
    const actedMs = starts.map((start) => start.actedMs);
    const lookedMs = starts.map((start) => start.lookedMs);
    const mbPerSecond = (ms: readonly number[]): number => bytes / 1e6 / (median(ms) / 1000);
    const actsAtOnce = subject.isReroll
      ? [
          { name: 'from ready to acted', value: median(actedMs), unit: 'ms', runs: actedMs },
          { name: 'every workload looked at', value: median(lookedMs), unit: 'ms', runs: lookedMs },
          {
            ...{ name: 'throughput until then, share of curl', unit: '%' },
            value: (median(streamed) / median(lookedMs)) * 100,
          },
        ]
      : [];
    return {
      conditions: {
        subject: described(subject, access),
        stage: stage.description,
        ...bigClusterConditions,
        runs: `${runs} cold starts, each between two runs of curl; baselines were recorded before`,
        synced: subject.isReroll
          ? 'when /readyz is 200, from the start of the process'
          : 'when it first restarts a Deployment whose ConfigMap changes every 100 ms, from the start of the process',
        curl: `${streams.map(({ path }) => path).join(' and ')} at once, as protobuf; then plain lists of them`,
        bytes,
      },
      figures: [
        { name: 'synced', value: median(syncedMs), unit: 'ms', runs: syncedMs, bar: { atMost: 4_000 } },
        { name: 'CPU until synced', value: median(cpuSeconds), unit: 's', runs: cpuSeconds, bar: { atMost: 4.5 } },
        { name: 'curl, streams of all contents', value: median(streamed), unit: 'ms', runs: streamed },
        { name: 'curl, lists of all contents', value: median(listed), unit: 'ms', runs: listed },
        { name: 'throughput of curl', value: mbPerSecond(streamed), unit: 'MB/s' },
        {
          ...{ name: 'throughput, share of curl', unit: '%', bar: { atLeast: 80 } },
          value: (median(streamed) / median(syncedMs)) * 100,
        },
        { name: 'throughput, share of lists by curl', value: (median(listed) / median(syncedMs)) * 100, unit: '%' },
        ...actsAtOnce,
      ],
    };
  } finally {
    await stage.stop();
  }
}

/** Ready is believed only of who acts: a source is changed at that very moment. */
async function started(subject: Subject, access: Access, probe: Probe): Promise<Start> {
  const running = subject.start(access, ['--settle=0s']);
  try {
    await synced(subject, running, probe);
    const syncedMs = performance.now() - running.startedMs;
    const { cpuSeconds } = processUsage(running.pid);
    if (!subject.isReroll) return { syncedMs, cpuSeconds, actedMs: 0, lookedMs: 0 };
    const actedMs = await probe.acted();
    await idle(running, { intervalMs: 20 });
    return { syncedMs, cpuSeconds, actedMs, lookedMs: performance.now() - running.startedMs };
  } finally {
    await running.end();
  }
}
