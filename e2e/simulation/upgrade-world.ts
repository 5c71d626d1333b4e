import type { Draw } from './draw';
import type { Step, World } from './world';

/** An older version, or Reloader, in some of the worlds, with draws of their own: the others stay as they are. */
export function withUpgrade(world: World, draw: Draw): World {
  // What a webhook gives to a creation has the form that older versions wrote.
  if (world.calm || world.hybrid || !draw.chance(0.1)) return world;
  const steps: Step[] = [];
  if (draw.chance(0.5)) {
    steps.push({ kind: 'leave-traces-of-reloader', atMs: 0, uponWrite: false, seed: draw.seed() });
  }
  const atMs = draw.int(2_000, world.stormMs - 1);
  steps.push({ kind: 'upgrade', atMs, uponWrite: draw.chance(0.2), seed: draw.seed() });
  return { ...world, steps: [...world.steps, ...steps].sort((left, right) => left.atMs - right.atMs) };
}

/** Whether what stands on workloads is of somebody before today's version. */
export function isUpgraded({ steps }: World): boolean {
  return steps.some(({ kind }) => kind === 'upgrade');
}
