import { setTimeout as delay } from 'node:timers/promises';
import type { Setting } from './benches';
import { createEditedWorkloads, edit, editedBytes, type Edit } from './edits';
import { inParallel } from './population';
import type { Figure, Measured } from './result';
import { untilItServes } from './served';
import type { Stage } from './stage';
import { median } from './statistics';
import { accessTo, described } from './subject';
import { TemplateWatch } from './template-watch';

/** Each Deployment uses two sources. */
const workloads = 100;
const editsOfEach = 5;
/** Time between two edits of a source. All edits come within a second if the API server keeps up. */
const apartMs = 200;
const runs = 5;
/** In a longer pause, a settle window of a second may rightly end. Such a run proves nothing and is repeated. */
const maxPauseMs = 800;
const maxRepeated = 5;

/** Longer than a settle window, so that no restart is still to come. */
const quietMs = 5_000;

const namespace = 'workloads';

interface Run {
  /** From when the first edit was sent to when the last was answered. */
  readonly editsTookMs: number;
  /** The longest pause between two edits of a workload's sources. */
  readonly longestPauseMs: number;
  /** From the answer to the last edit to the last new template. */
  readonly restartsTookMs: number;
  /** Number of new templates by Deployment; Deployments without one are left out. */
  readonly restarts: ReadonlyMap<string, number>;
  /** Number of writes of Deployments that the subject requested. */
  readonly writes: number;
}

/** The bench `burst`: many edits of all sources at once, with the default settle window. */
export async function measureBurst({ openStage, subject, tell }: Setting): Promise<Measured> {
  const stage = await openStage();
  try {
    tell('filling …');
    const watch = await TemplateWatch.open(stage);
    await createEditedWorkloads(stage, namespace, workloads);
    const access = await accessTo(stage);
    const running = subject.start(access);
    try {
      await untilItServes(stage, running, watch, namespace);
      await watch.quiet(quietMs);
      const all: Run[] = [];
      let repeated = 0;
      while (all.length < runs) {
        tell(`run ${all.length + 1} of ${runs} …`);
        const run = await oneRun(stage, watch);
        if (run.longestPauseMs <= maxPauseMs) all.push(run);
        else if (++repeated > maxRepeated) throw new Error(tooSlow(run));
      }
      return {
        conditions: {
          stage: stage.description,
          subject: described(subject, access),
          workloads: `${workloads} Deployments without pods, each with a ConfigMap and a Secret of ${editedBytes / 1024} KiB`,
          edits: `${editsOfEach} of each source, sent ${apartMs} ms apart`,
          runs: `${runs}, and ${repeated} more that the API server was too slow for`,
        },
        figures: burstFigures(all, workloads),
      };
    } finally {
      await running.end();
    }
  } finally {
    await stage.stop();
  }
}

async function oneRun(stage: Stage, watch: TemplateWatch): Promise<Run> {
  const begunMs = Date.now();
  const before = watch.changes.length;
  const times = Array.from({ length: workloads }, (): Edit[] => []);
  for (let index = 0; index < editsOfEach; index++) {
    const next = delay(index + 1 < editsOfEach ? apartMs : 0);
    await editAll(stage, times);
    await next;
  }
  const answeredMs = Math.max(...times.flat().map((one) => one.answeredMs));
  await watch.quiet(quietMs);
  const changes = watch.changes.slice(before);
  const restarts = new Map<string, number>();
  for (const { deployment } of changes) restarts.set(deployment, (restarts.get(deployment) ?? 0) + 1);
  const writes = (await stage.requestsOf('subject')).filter(
    ({ verb, resource, atMs }) =>
      resource === 'deployments' && (verb === 'patch' || verb === 'update') && atMs >= begunMs,
  );
  return {
    editsTookMs: answeredMs - Math.min(...times.flat().map(({ sentMs }) => sentMs)),
    longestPauseMs: Math.max(...times.map(longestPause)),
    restartsTookMs: (changes.at(-1)?.atMs ?? NaN) - answeredMs,
    restarts,
    writes: writes.length,
  };
}

/** Edits both sources of each workload and appends the edits to `times` of that workload. */
async function editAll(stage: Stage, times: readonly Edit[][]): Promise<void> {
  await inParallel(workloads, async (index) => {
    times[index]?.push(
      await edit(stage, 'configmaps', namespace, `config-${index}`),
      await edit(stage, 'secrets', namespace, `secret-${index}`),
    );
  });
}

/** The longest possible pause: from the earliest moment an edit can have been stored to the latest for the next one. */
export function longestPause(edits: readonly Edit[]): number {
  return Math.max(0, ...edits.slice(1).map(({ answeredMs }, index) => answeredMs - (edits[index]?.sentMs ?? NaN)));
}

function tooSlow({ longestPauseMs }: Run): string {
  return `a workload was left alone for ${longestPauseMs.toFixed(0)} ms between two edits: the machine is too busy for this bench`;
}

/** `expected` is the number of Deployments that must be restarted, once each. */
export function burstFigures(all: readonly Run[], expected: number): readonly Figure[] {
  const sums = all.map(({ restarts }) => [...restarts.values()].reduce((sum, count) => sum + count, 0));
  const wrong = all.map(({ restarts }) => {
    const once = [...restarts.values()].filter((count) => count === 1).length;
    return expected - once;
  });
  const worst = sums.reduce((left, right) => (Math.abs(right - expected) > Math.abs(left - expected) ? right : left));
  const writes = Math.max(...all.map((run) => run.writes));
  const edits = all.map(({ editsTookMs }) => editsTookMs);
  const pauses = all.map(({ longestPauseMs }) => longestPauseMs);
  const took = all.map(({ restartsTookMs }) => restartsTookMs);
  return [
    { name: 'restarts, in the worst run', value: worst, unit: '', bar: { exactly: expected } },
    { name: 'Deployments not restarted exactly once', value: Math.max(...wrong), unit: '', bar: { exactly: 0 } },
    { name: 'writes of Deployments, the most', value: writes, unit: '' },
    { name: 'longest pause between edits of a workload', value: Math.max(...pauses), unit: 'ms' },
    { name: 'all edits', value: median(edits), unit: 'ms', runs: edits },
    { name: 'from the last edit to the last new template', value: median(took), unit: 'ms', runs: took },
  ];
}
