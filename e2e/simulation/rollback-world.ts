import type { Draw } from './draw';
import { withDrawnSteps, type StepKinds } from './drawn-steps';
import { rollbackActions } from './rollback-actions';
import type { World } from './world';

const kinds = Object.keys(rollbackActions) as readonly (keyof typeof rollbackActions)[];

const drawn: StepKinds = {
  // Only where holds are a part of the world.
  kinds: kinds.filter((kind) => kind !== 'break-and-hold'),
  shares: [0.6, 0.8],
  otherwise: 'break-and-write-again',
  count: [3, 6],
};

/**
 * In some worlds with stages, contents that break the first are put back. Uses its own draws, so the others stay as they
 * are. A content must prove itself before it is kept, so less happens otherwise.
 */
export function withRollbacks(world: World, draw: Draw): World {
  const { stages, gates, pace } = world.features;
  if (!stages || pace || !draw.chance(0.8)) return world;
  const stormMs = draw.int(150_000, 240_000);
  const isHeld = gates !== undefined || draw.chance(0.4);
  const among = isHeld ? { ...drawn, kinds } : drawn;
  const steps = withDrawnSteps(draw.some(world.steps, 0.25), draw, stormMs - 60_000, among);
  const features = {
    ...world.features,
    ...(isHeld && { gates: gates ?? {} }),
    stages: { ...stages, deadlineMs: isHeld ? 45_000 : 15_000, rollback: true },
  };
  // In bad weather nobody can say what a process must know, so no hold would be judged.
  const weather = isHeld ? [] : world.weather;
  return { ...world, stormMs, laterTerm: false, weather, features, steps };
}

/** Whether contents are put back in this world. */
export function isRolledBack({ features }: World): boolean {
  return features.stages?.rollback === true;
}
