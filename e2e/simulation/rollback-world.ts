import type { Draw } from './draw';
import { withDrawnSteps, type StepKinds } from './drawn-steps';
import { rollbackActions } from './rollback-actions';
import type { World } from './world';

const drawn: StepKinds = {
  kinds: Object.keys(rollbackActions) as readonly (keyof typeof rollbackActions)[],
  shares: [0.6, 0.8],
  otherwise: 'break-and-write-again',
  count: [3, 6],
};

/**
 * In some worlds with stages, contents that break the first are put back. Uses its own draws, so the others stay as they
 * are. A content must prove itself before it is kept, so less happens otherwise.
 */
export function withRollbacks(world: World, draw: Draw): World {
  const { stages, pace } = world.features;
  if (!stages || pace || !draw.chance(0.8)) return world;
  const stormMs = draw.int(150_000, 240_000);
  const steps = withDrawnSteps(draw.some(world.steps, 0.25), draw, stormMs - 60_000, drawn);
  const features = { ...world.features, stages: { ...stages, deadlineMs: 15_000, rollback: true } };
  return { ...world, stormMs, laterTerm: false, features, steps };
}

/** Whether contents are put back in this world. */
export function isRolledBack({ features }: World): boolean {
  return features.stages?.rollback === true;
}
