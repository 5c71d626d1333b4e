import type { EngineSettings } from '../../reconciler/options/engine-settings';
import type { ActionKind } from './actions';
import type { Draw } from './draw';
import type { Step, World } from './world';

/** Who decides what restarts what, beyond `auto` and plain names. */
export interface PolicyFeatures {
  /** Sources are told to restart nothing, and are taken at their word until they are told otherwise. */
  readonly ignores: boolean;
  /** Whoever says nothing asks for everything. */
  readonly autoReloadAll: boolean;
  /** Workloads search, exclude, name by pattern, and ask for one kind of sources. */
  readonly wishes: boolean;
}

export const noPolicyFeatures: PolicyFeatures = { ignores: false, autoReloadAll: false, wishes: false };

const ofIgnores: readonly ActionKind[] = ['ignore-source', 'heed-source', 'heed-after-edit', 'heed-after-edit'];
const ofAutoReloadAll: readonly ActionKind[] = ['opt-out', 'opt-in-after-edit', 'opt-in-after-edit'];
const ofWishes: readonly ActionKind[] = ['ask-otherwise', 'ask-otherwise', 'match-source', 'match-after-edit'];

type Plain = Omit<World, 'hybrid' | 'dark'>;

/** Each in some of the worlds, with draws of their own: a world without any stays as it is. */
export function withPolicies(world: Plain, draw: Draw): Plain {
  const policies: PolicyFeatures = {
    // Where creations restart, one that is heeded is not always told from one that was created in the second of its user.
    ignores: draw.chance(0.14) && !world.features.reloadOnCreate,
    autoReloadAll: draw.chance(0.1),
    wishes: draw.chance(0.12),
  };
  const kinds = [
    ...(policies.ignores ? ofIgnores : []),
    ...(policies.autoReloadAll ? ofAutoReloadAll : []),
    ...(policies.wishes ? ofWishes : []),
  ];
  if (kinds.length === 0) return world;
  const features = { ...world.features, ...policies };
  // Of a calm world the number of restarts is known, because only contents change in it.
  if (world.calm) return { ...world, features };
  const steps: Step[] = [];
  for (let left = draw.int(1, 4); left > 0; left--) {
    const atMs = draw.int(1, world.stormMs - 1);
    steps.push({ kind: draw.pickAny(kinds) ?? 'edit-source', atMs, uponWrite: draw.chance(0.1), seed: draw.seed() });
    // What was decided shows when something changes.
    const soonMs = Math.min(world.stormMs - 1, atMs + draw.int(0, draw.pick([900, 3_000, 10_000])));
    if (draw.chance(0.5)) steps.push({ kind: 'edit-source', atMs: soonMs, uponWrite: false, seed: draw.seed() });
  }
  return { ...world, features, steps: [...world.steps, ...steps].sort((left, right) => left.atMs - right.atMs) };
}

/** What the engine is told on its command line. */
export function policySettingsOf({ autoReloadAll }: PolicyFeatures): Partial<EngineSettings> {
  return autoReloadAll ? { policy: { autoReloadAll, ignoredWorkloadKinds: [] } } : {};
}
