import type { Draw } from './draw';
import type { Step, World } from './world';

/** Lets an older version, and maybe Reloader, run first in some worlds. Its own draws keep the others as they are. */
export function withUpgrade(world: World, draw: Draw): World {
  // A baseline that a webhook adds to a creation has the form that older versions wrote.
  if (world.calm || world.hybrid || !draw.chance(0.1)) return world;
  const steps: Step[] = [];
  if (draw.chance(0.5)) {
    steps.push({ kind: 'leave-traces-of-reloader', atMs: 0, uponWrite: false, seed: draw.seed() });
  }
  const atMs = draw.int(2_000, world.stormMs - 1);
  steps.push({ kind: 'upgrade', atMs, uponWrite: draw.chance(0.2), seed: draw.seed() });
  return { ...world, steps: [...world.steps, ...steps].sort((left, right) => left.atMs - right.atMs) };
}

/** Whether an older version ran before today's, and wrote the baselines. */
export function isUpgraded({ steps }: World): boolean {
  return steps.some(({ kind }) => kind === 'upgrade');
}
