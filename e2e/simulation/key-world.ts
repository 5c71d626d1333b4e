import type { Draw } from './draw';
import { withDrawnSteps, type StepKinds } from './drawn-steps';
import { isGated } from './gate-world';
import { keyActions } from './key-actions';
import { isFit, isPaced } from './pace-world';
import { isStaged } from './stage-world';
import type { World } from './world';

const drawn: StepKinds = {
  kinds: Object.keys(keyActions) as readonly (keyof typeof keyActions)[],
  shares: [0.6, 0.9],
  otherwise: 'list-keys',
  count: [3, 7],
};

/** Not every change counts in some worlds. Uses its own draws, so the others stay as they are. */
export function withKeys(world: World, draw: Draw): World {
  if (!isFit(world) || isGated(world) || isPaced(world) || isStaged(world) || !draw.chance(0.8)) return world;
  return { ...world, steps: withDrawnSteps(world.steps, draw, world.stormMs, drawn) };
}

/** Whether some changes of this world may not count. */
export function hasKeys({ steps }: World): boolean {
  return steps.some(({ kind }) => kind in keyActions);
}
