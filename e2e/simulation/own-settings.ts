import type { KubeObject } from '../apiserver/objects';
import type { Draw } from './draw';
import type { World } from './world';

export const strategyAnnotation = 'reroll.dev/strategy';
const settleAnnotation = 'reroll.dev/settle';
const settleMaxAnnotation = 'reroll.dev/settle-max';
const runPolicyAnnotations: Readonly<Record<string, string>> = {
  Job: 'reroll.dev/job-policy',
  CronJob: 'reroll.dev/cronjob-policy',
};

/** In some of the worlds workloads ask for other ways and times than the install, with draws of their own. */
export function withOwnSettings(world: World, draw: Draw): World {
  // Where the watches of sources are cut, how long a restart may take is judged by the settle window of the install.
  if (world.dark !== undefined || world.features.crowd || !draw.chance(0.1)) return world;
  return { ...world, features: { ...world.features, ownSettings: true } };
}

/** What a workload asks for, by the install’s defaults in what it does not. */
export function drawSettings(draw: Draw): Readonly<Record<string, string>> {
  const strategy = draw.pick(['env-vars', 'annotations', 'restarted-at']);
  const settle = draw.pick(['200ms', '3s']);
  const settleMax = draw.pick(['500ms', '2s']);
  const policy = draw.pick(['next-run', 'never']);
  return {
    ...(draw.chance(0.7) && { [strategyAnnotation]: strategy }),
    ...(draw.chance(0.5) && { [settleAnnotation]: settle }),
    ...(draw.chance(0.3) && { [settleMaxAnnotation]: settleMax }),
    ...(draw.chance(0.5) && { 'reroll.dev/job-policy': policy, 'reroll.dev/cronjob-policy': policy }),
  };
}

const [defaultSettleMs, defaultSettleMaxMs] = [1_000, 10_000];

/** How long the sources of a workload must be quiet. */
export function settleMsOf(workload: KubeObject): number {
  return durationOf(workload, settleAnnotation) ?? defaultSettleMs;
}

/** How long a restart waits for its sources at most. */
export function settleMaxMsOf(workload: KubeObject): number {
  return durationOf(workload, settleMaxAnnotation) ?? defaultSettleMaxMs;
}

/** The judge's own reading of the durations that simulated users write. */
function durationOf({ metadata: { annotations = {} } }: KubeObject, name: string): number | undefined {
  const text = annotations[name];
  if (text === undefined) return undefined;
  return text.endsWith('ms') ? Number.parseInt(text, 10) : Number.parseInt(text, 10) * 1_000;
}

/** Whether a change is to take effect when the workload is run the next time. */
export function isLeftToNextRun(workload: KubeObject): boolean {
  return runPolicyOf(workload) === 'next-run';
}

/** Whether the workload is to be left alone. */
export function isNeverRun(workload: KubeObject): boolean {
  return runPolicyOf(workload) === 'never';
}

function runPolicyOf({ kind, metadata: { annotations = {} } }: KubeObject): string | undefined {
  const annotation = runPolicyAnnotations[kind];
  return annotation === undefined ? undefined : annotations[annotation];
}
