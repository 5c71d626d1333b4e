import type { KubeObject } from '../apiserver/objects';
import type { Draw } from './draw';
import type { World } from './world';

export const strategyAnnotation = 'reroll.dev/strategy';
const settleAnnotation = 'reroll.dev/settle';
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
  return {
    ...(draw.chance(0.7) && { [strategyAnnotation]: strategy }),
    ...(draw.chance(0.5) && { [settleAnnotation]: settle }),
    ...(draw.chance(0.5) && { 'reroll.dev/job-policy': 'next-run', 'reroll.dev/cronjob-policy': 'next-run' }),
  };
}

const defaultSettleMs = 1_000;

/** The judge's own reading of a settle window that simulated users write. */
export function settleMsOf({ metadata: { annotations = {} } }: KubeObject): number {
  const text = annotations[settleAnnotation];
  if (text === undefined) return defaultSettleMs;
  return text.endsWith('ms') ? Number.parseInt(text, 10) : Number.parseInt(text, 10) * 1_000;
}

/** Whether a change is to take effect when the workload is run the next time. */
export function isLeftToNextRun({ kind, metadata: { annotations = {} } }: KubeObject): boolean {
  const annotation = runPolicyAnnotations[kind];
  return annotation !== undefined && annotations[annotation] === 'next-run';
}
