import type { Draw } from './draw';
import { withDrawnSteps, type StepKinds } from './drawn-steps';
import { gateActions } from './gate-actions';
import { drawFrequentWindows, drawInterval } from './gate-draws';
import type { GateFlags } from './gate-flags';
import type { World } from './world';

const drawn: StepKinds = {
  kinds: Object.keys(gateActions) as readonly (keyof typeof gateActions)[],
  shares: [0.2, 0.5],
  otherwise: 'hold',
  count: [1, 4],
};

/** People hold restarts in some worlds, or restrict them to windows. Uses its own draws, so the others stay as they are. */
export function withGates(world: World, draw: Draw): World {
  // The number of restarts in a calm world, and their times in a large one, follow from the changes alone.
  if (world.calm || world.features.crowd || !draw.chance(0.15)) return world;
  const gates: GateFlags = {
    ...(draw.chance(0.2) && { windows: drawFrequentWindows(draw) }),
    ...(draw.chance(0.2) && { interval: drawInterval(draw) }),
  };
  // Windows begin with a minute.
  const stormMs = draw.chance(0.3) ? Math.max(world.stormMs, 75_000) : world.stormMs;
  const steps = withDrawnSteps(world.steps, draw, stormMs, drawn);
  const lagMs = new Map([...world.lagMs, ...(draw.chance(0.3) ? [['namespaces', draw.int(50, 8_000)] as const] : [])]);
  return { ...world, stormMs, lagMs, features: { ...world.features, gates }, steps };
}

/** Whether anything in this world may keep a restart from beginning. */
export function isGated({ features, steps }: World): boolean {
  return features.gates !== undefined || steps.some(({ kind }) => kind in gateActions);
}
