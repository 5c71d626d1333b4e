import type { ActionKind } from './actions';
import type { Draw } from './draw';
import { crowdSources } from './places';
import type { Step, World } from './world';

/** What a large world has in addition to what every simulated cluster has. */
export interface Crowd {
  /** The number of ConfigMaps, more than one page of a list. */
  readonly sources: number;
  /** The number of workloads. All of them use one common source, and each uses some of `sources`. */
  readonly users: number;
  /** Nothing goes wrong, so each change must be acted on in time. */
  readonly isWell: boolean;
}

const crowdActions: readonly ActionKind[] = [
  'edit-for-everybody',
  'edit-many',
  'edit-for-longer-than-settling',
  'list-the-crowd-anew',
];

/**
 * Makes a few worlds large. It has draws of its own, so the other worlds stay as they are. A large world takes the time
 * of a hundred others.
 */
export function withCrowd(world: World, draw: Draw): World {
  const isPlain = !world.calm && world.hybrid === undefined && !world.controllers && !world.features.csi;
  if (!isPlain || !draw.chance(0.012)) return world;
  const isWell = draw.chance(0.5);
  const crowd: Crowd = { sources: crowdSources.length, users: 60, isWell };
  const features = { ...world.features, crowd };
  const stormMs = Math.max(world.stormMs, 45_000);
  const add = (kind: ActionKind, atMs: number): Step => ({ kind, atMs, uponWrite: false, seed: draw.seed() });
  if (!isWell) {
    const kinds = Array.from({ length: draw.int(2, 4) }, () => draw.pickAny(crowdActions) ?? 'edit-many');
    const steps = kinds.map((kind) => add(kind, draw.int(5_000, stormMs - 1)));
    const all = [...world.steps, ...steps].sort((left, right) => left.atMs - right.atMs);
    return { ...world, stormMs, features, steps: all };
  }
  const steps = [
    add('edit-for-longer-than-settling', draw.int(20_000, 25_000)),
    add('edit-many', draw.int(5_000, 9_000)),
  ];
  const quiet = {
    replicas: 1,
    watchWindow: 1000,
    maxLatencyMs: 20,
    lagMs: new Map<string, number>(),
    weather: [],
  } as const;
  return { ...world, ...quiet, stormMs, features, steps };
}
