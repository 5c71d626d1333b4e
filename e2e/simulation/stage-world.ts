import type { Draw } from './draw';
import { withDrawnSteps, type StepKinds } from './drawn-steps';
import { isFit } from './pace-world';
import { stageActions } from './stage-actions';
import type { StageFlags } from './stage-flags';
import type { World } from './world';

const drawn: StepKinds = {
  kinds: Object.keys(stageActions) as readonly (keyof typeof stageActions)[],
  shares: [0.5, 0.8],
  otherwise: 'change-for-many',
  count: [2, 5],
};

/** A change reaches one user first in some worlds. Uses its own draws, so the others stay as they are. */
export function withStages(world: World, draw: Draw): World {
  if (!isFit(world) || !draw.chance(0.35)) return world;
  const stages: StageFlags = {
    healthyForMs: draw.pick([1_000, 3_000, 8_000]),
    deadlineMs: draw.pick([15_000, 30_000, 60_000]),
  };
  const stormMs = Math.max(world.stormMs, 50_000);
  const steps = withDrawnSteps(world.steps, draw, stormMs, drawn);
  return { ...world, stormMs, controllers: true, features: { ...world.features, stages }, steps };
}

/** Whether restarts come in stages in this world. */
export function isStaged({ features }: World): boolean {
  return features.stages !== undefined;
}
