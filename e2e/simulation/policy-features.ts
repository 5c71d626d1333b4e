import type { EngineSettings } from '../../reconciler/options/engine-settings';
import type { ActionKind } from './actions';
import type { Draw } from './draw';
import type { Step, World } from './world';

/** What else decides which source restarts which workload, beyond `auto` and plain names. */
export interface PolicyFeatures {
  /** Sources get the `ignore` annotation, which keeps them from restarting anything, and lose it again. */
  readonly ignores: boolean;
  /** A workload that does not set `auto` restarts for every source that it uses. */
  readonly autoReloadAll: boolean;
  /** Workloads search, exclude, name sources by pattern, or ask for one kind of source. */
  readonly wishes: boolean;
}

export const noPolicyFeatures: PolicyFeatures = { ignores: false, autoReloadAll: false, wishes: false };

const ofIgnores: readonly ActionKind[] = ['ignore-source', 'heed-source', 'heed-after-edit', 'heed-after-edit'];
const ofAutoReloadAll: readonly ActionKind[] = ['opt-out', 'opt-in-after-edit', 'opt-in-after-edit'];
const ofWishes: readonly ActionKind[] = ['ask-otherwise', 'ask-otherwise', 'match-source', 'match-after-edit'];

type Plain = Omit<World, 'hybrid' | 'dark'>;

/** Adds each feature to some worlds. Their own draws keep a world without any as it is. */
export function withPolicies(world: Plain, draw: Draw): Plain {
  const policies: PolicyFeatures = {
    // With reloadOnCreate, a source that is no longer ignored cannot always be told from one that was created in the
    // same second as the workload that uses it.
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
  // The number of restarts in a calm world is known, because only contents change in it.
  if (world.calm) return { ...world, features };
  const steps: Step[] = [];
  for (let left = draw.int(1, 4); left > 0; left--) {
    const atMs = draw.int(1, world.stormMs - 1);
    steps.push({ kind: draw.pickAny(kinds) ?? 'edit-source', atMs, uponWrite: draw.chance(0.1), seed: draw.seed() });
    // A policy has a visible effect only when a source changes.
    const soonMs = Math.min(world.stormMs - 1, atMs + draw.int(0, draw.pick([900, 3_000, 10_000])));
    if (draw.chance(0.5)) steps.push({ kind: 'edit-source', atMs: soonMs, uponWrite: false, seed: draw.seed() });
  }
  return { ...world, features, steps: [...world.steps, ...steps].sort((left, right) => left.atMs - right.atMs) };
}

/** The command-line settings of the engine for these features. */
export function policySettingsOf({ autoReloadAll }: PolicyFeatures): Partial<EngineSettings> {
  return autoReloadAll ? { policy: { autoReloadAll, ignoredWorkloadKinds: [] } } : {};
}
