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

/** In some worlds, workloads have their own strategies, settle windows and run policies. Uses its own draws. */
export function withOwnSettings(world: World, draw: Draw): World {
  // If the watches of sources are cut, the judge bounds the time to a restart by the install's settle window.
  if (world.dark !== undefined || world.features.crowd || !draw.chance(0.1)) return world;
  return { ...world, features: { ...world.features, ownSettings: true } };
}

/** The settings that a workload asks for. The install's defaults apply to the rest. */
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

/** How long the sources of a workload must be quiet before a restart. */
export function settleMsOf(workload: KubeObject): number {
  return durationOf(workload, settleAnnotation) ?? defaultSettleMs;
}

/** The longest time that a restart waits for its sources to be quiet. */
export function settleMaxMsOf(workload: KubeObject): number {
  return durationOf(workload, settleMaxAnnotation) ?? defaultSettleMaxMs;
}

/** The judge's own reading of the durations that simulated users write. */
function durationOf({ metadata: { annotations = {} } }: KubeObject, name: string): number | undefined {
  const text = annotations[name];
  if (text === undefined) return undefined;
  return text.endsWith('ms') ? Number.parseInt(text, 10) : Number.parseInt(text, 10) * 1_000;
}

/** Whether a change takes effect only when the workload runs the next time. */
export function isLeftToNextRun(workload: KubeObject): boolean {
  return runPolicyOf(workload) === 'next-run';
}

/** Whether the workload must never be run for a change. */
export function isNeverRun(workload: KubeObject): boolean {
  return runPolicyOf(workload) === 'never';
}

function runPolicyOf({ kind, metadata: { annotations = {} } }: KubeObject): string | undefined {
  const annotation = runPolicyAnnotations[kind];
  return annotation === undefined ? undefined : annotations[annotation];
}
