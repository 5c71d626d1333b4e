import type { ActionKind } from './actions';
import type { Draw } from './draw';
import { nothingLeftOut } from './leaving-out';
import { paceActions } from './pace-actions';
import type { PaceFlags } from './pace-flags';
import { noPolicyFeatures } from './policy-features';
import { isUpgraded } from './upgrade-world';
import type { Step, World } from './world';

const kinds = Object.keys(paceActions) as readonly (keyof typeof paceActions)[];

/**
 * In these, rollouts are undone or never end, so those that come later would wait for ever, or nobody could tell what
 * still rolls. What a lost key leaves owed is judged in other worlds.
 */
const unfit: ReadonlySet<ActionKind> = new Set<ActionKind>([
  'restore-etcd',
  'alter-our-writes',
  'leave-to-rollout',
  'make-urgent',
  'lose-digest-key',
]);

/** Only so many workloads roll at once in some worlds, in an order. Uses its own draws, so the others stay as they are. */
export function withPace(world: World, draw: Draw): World {
  if (!isFit(world) || !draw.chance(0.25)) return world;
  const pace: PaceFlags = {
    ...(draw.chance(0.6) && { maxRolling: draw.pick(['1', '1', '2', '2 pods']) }),
    ...(draw.chance(0.3) && { perNamespace: draw.pick(['1', '2', '1 pods']) }),
    ...(draw.chance(0.25) && { rate: draw.pick(['1/5s', '2/10s', '1/20s']) }),
  };
  const stormMs = Math.max(world.stormMs, 40_000);
  const chosen = draw.some(kinds, draw.pick([0.4, 0.7]));
  const steps: Step[] = [];
  for (let left = draw.int(2, 5); left > 0; left--) {
    const kind: ActionKind = draw.pickAny(chosen) ?? 'change-for-many';
    steps.push({ kind, atMs: draw.int(1_000, stormMs - 1), uponWrite: draw.chance(0.1), seed: draw.seed() });
  }
  const all = [...world.steps, ...steps].sort((left, right) => left.atMs - right.atMs);
  return { ...world, stormMs, controllers: true, features: { ...world.features, pace }, steps: all };
}

/** Whether restarts wait for their turn in this world. */
export function isPaced({ features }: World): boolean {
  return features.pace !== undefined;
}

export function isFit(world: World): boolean {
  const { calm, dark, hybrid, features, steps } = world;
  const { crowd, csi, pauses, selectsSources, selectsNamespaces, namespacesToIgnore, intruder } = features;
  if (
    isUpgraded(world) ||
    calm ||
    dark ||
    hybrid ||
    crowd ||
    csi ||
    pauses ||
    selectsSources ||
    selectsNamespaces ||
    intruder
  )
    return false;
  const others = Object.keys({ ...noPolicyFeatures, ...nothingLeftOut }) as (keyof typeof features)[];
  const isPlain = others.every((name) => features[name] !== true);
  return isPlain && namespacesToIgnore.length === 0 && steps.every(({ kind }) => !unfit.has(kind));
}
