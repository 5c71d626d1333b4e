import type { ActionKind } from './actions';
import type { Draw } from './draw';
import { isFit } from './pace-world';
import { stageActions } from './stage-actions';
import type { StageFlags } from './stage-flags';
import type { Step, World } from './world';

const kinds = Object.keys(stageActions) as readonly (keyof typeof stageActions)[];

/** A change reaches one user first in some worlds. Uses its own draws, so the others stay as they are. */
export function withStages(world: World, draw: Draw): World {
  if (!isFit(world) || !draw.chance(0.25)) return world;
  const stages: StageFlags = {
    healthyForMs: draw.pick([1_000, 3_000, 8_000]),
    deadlineMs: draw.pick([15_000, 30_000, 60_000]),
  };
  const stormMs = Math.max(world.stormMs, 50_000);
  const chosen = draw.some(kinds, draw.pick([0.5, 0.8]));
  const steps: Step[] = [];
  for (let left = draw.int(2, 5); left > 0; left--) {
    const kind: ActionKind = draw.pickAny(chosen) ?? 'change-for-many';
    steps.push({ kind, atMs: draw.int(1_000, stormMs - 1), uponWrite: draw.chance(0.1), seed: draw.seed() });
  }
  const all = [...world.steps, ...steps].sort((left, right) => left.atMs - right.atMs);
  return { ...world, stormMs, controllers: true, features: { ...world.features, stages }, steps: all };
}

/** Whether restarts come in stages in this world. */
export function isStaged({ features }: World): boolean {
  return features.stages !== undefined;
}
