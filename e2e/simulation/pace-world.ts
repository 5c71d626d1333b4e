import type { ActionKind } from './actions';
import type { Draw } from './draw';
import { withDrawnSteps, type StepKinds } from './drawn-steps';
import { nothingLeftOut } from './leaving-out';
import { paceActions } from './pace-actions';
import type { PaceFlags } from './pace-flags';
import { noPolicyFeatures } from './policy-features';
import { isUpgraded } from './upgrade-world';
import type { World } from './world';

const drawn: StepKinds = {
  kinds: Object.keys(paceActions) as readonly (keyof typeof paceActions)[],
  shares: [0.6, 0.9],
  otherwise: 'change-for-many',
  count: [3, 6],
};

/**
 * In these, rollouts are undone or never end, so those that come later would wait for ever, or nobody could tell what
 * still rolls.
 */
const unfit: ReadonlySet<ActionKind> = new Set<ActionKind>([
  'restore-etcd',
  'alter-our-writes',
  'leave-to-rollout',
  'make-urgent',
]);

/** Only so many workloads roll at once in some worlds, in an order. Uses its own draws, so the others stay as they are. */
export function withPace(world: World, draw: Draw): World {
  if (!isFit(world) || !draw.chance(0.35)) return world;
  const pace: PaceFlags = {
    ...(draw.chance(0.4) && { maxRolling: draw.pick(['1', '1', '2', '2 pods']) }),
    ...(draw.chance(0.4) && { perNamespace: draw.pick(['1', '2', '1 pods']) }),
    ...(draw.chance(0.25) && { rate: draw.pick(['1/5s', '2/10s', '1/20s']) }),
  };
  const stormMs = Math.max(world.stormMs, 40_000);
  const steps = withDrawnSteps(world.steps, draw, stormMs, drawn);
  return { ...world, stormMs, controllers: true, features: { ...world.features, pace }, steps };
}

/** Whether restarts wait for their turn in this world. */
export function isPaced({ features }: World): boolean {
  return features.pace !== undefined;
}

/** Whether nothing else in this world decides when a workload restarts, or how it rolls out. */
export function isFit(world: World): boolean {
  const { calm, dark, hybrid, features, steps } = world;
  const { crowd, csi, pauses, selectsSources, selectsNamespaces, namespacesToIgnore, intruder } = features;
  const others = [calm, dark, hybrid, crowd, csi, pauses, selectsSources, selectsNamespaces, intruder];
  if (isUpgraded(world) || others.some(Boolean) || namespacesToIgnore.length > 0) return false;
  const policies = Object.keys({ ...noPolicyFeatures, ...nothingLeftOut }) as (keyof typeof features)[];
  return policies.every((name) => features[name] !== true) && steps.every(({ kind }) => !unfit.has(kind));
}
