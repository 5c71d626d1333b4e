import type { Draw } from './draw';
import { withDrawnSteps, type StepKinds } from './drawn-steps';
import { rollbackActions } from './rollback-actions';
import type { World } from './world';

const drawn: StepKinds = {
  kinds: Object.keys(rollbackActions) as readonly (keyof typeof rollbackActions)[],
  shares: [0.5, 0.8],
  otherwise: 'break-and-write-again',
  count: [3, 7],
};

/** In some worlds with stages, contents that break the first are put back. Uses its own draws, so the others stay as they are. */
export function withRollbacks(world: World, draw: Draw): World {
  const { stages } = world.features;
  // Who writes a source is judged in worlds in which only people do.
  if (!stages || world.hybrid || world.calm || !draw.chance(0.6)) return world;
  const stormMs = Math.max(world.stormMs, draw.int(90_000, 150_000));
  const steps = withDrawnSteps(world.steps, draw, stormMs - 30_000, drawn);
  const features = { ...world.features, stages: { ...stages, deadlineMs: 15_000, rollback: true } };
  return { ...world, stormMs, laterTerm: false, features, steps };
}

/** Whether contents are put back in this world. */
export function isRolledBack({ features }: World): boolean {
  return features.stages?.rollback === true;
}
