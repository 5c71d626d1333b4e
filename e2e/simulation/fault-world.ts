import type { ActionKind } from './actions';
import { Draw } from './draw';
import type { Step, World } from './world';

/** Adds faults on the server's side. Each has draws of its own, so a world without it stays as it is. */
export function withFaults(world: World): World {
  // A calm world gets none, because its exact number of restarts is known.
  if (world.calm) return world;
  const restored = withRestore(world, new Draw(world.seed ^ 0x2c1b3c6d));
  const kept = withGatekeeper(restored, new Draw(world.seed ^ 0x5f356495));
  const keyless = withLostKey(kept, new Draw(world.seed ^ 0x297a2d39));
  return withSkew(keyless, new Draw(world.seed ^ 0x3ad8025f));
}

function withRestore(world: World, draw: Draw): World {
  // Simulated controllers watch nothing. After a restore they would go on from objects that no longer exist.
  if (world.controllers || !draw.chance(0.05)) return world;
  return withStep(world, 'restore-etcd', draw.int(1_000, Math.floor(world.stormMs * 0.7)), draw);
}

function withGatekeeper(world: World, draw: Draw): World {
  // Not simulated: a pause whose restart is taken out, and a restored backup with altered writes.
  if (world.features.pauses || world.steps.some(({ kind }) => kind === 'restore-etcd') || !draw.chance(0.1))
    return world;
  const atMs = draw.int(Math.floor(world.stormMs * 0.3), Math.floor(world.stormMs * 0.7));
  return withStep(world, 'alter-our-writes', atMs, draw);
}

function withLostKey(world: World, draw: Draw): World {
  // The webhook learns of another key from its watch, and names no authors until then. A lost key together with a
  // restored backup is not simulated.
  const isAlone = world.hybrid === undefined && !world.steps.some(({ kind }) => kind === 'restore-etcd');
  if (!isAlone || !draw.chance(0.05)) return world;
  return withStep(world, 'lose-digest-key', draw.int(1_000, Math.floor(world.stormMs * 0.7)), draw);
}

function withSkew(world: World, draw: Draw): World {
  // The channel drops records that are dated more than a minute away, so authors are not promised then.
  if (world.hybrid !== undefined || !draw.chance(0.05)) return world;
  return withStep(world, 'skew-clock-by-minutes', draw.int(1, Math.floor(world.stormMs * 0.8)), draw);
}

function withStep(world: World, kind: ActionKind, atMs: number, draw: Draw): World {
  const step: Step = { kind, atMs, uponWrite: draw.chance(0.3), seed: draw.seed() };
  return { ...world, steps: [...world.steps, step].sort((left, right) => left.atMs - right.atMs) };
}
