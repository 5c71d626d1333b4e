import type { ReviewPath } from '../../webhook/metrics';
import type { ActionKind } from './actions';
import type { CallWeather } from './admission';
import type { ChannelWeather } from './channel';
import type { Draw } from './draw';
import type { Step, World } from './world';

/** The webhook of a world that has one, and the quality of its connections. */
export interface Hybrid {
  readonly replicas: 1 | 2;
  readonly paths: readonly ReviewPath[];
  readonly conditions: boolean;
  readonly discover: boolean;
  readonly calls: CallWeather;
  readonly channel: ChannelWeather;
}

/** A period in which the watches of sources deliver nothing, or only much later. */
export interface Darkness {
  readonly fromMs: number;
  readonly toMs: number;
  /** Undefined: the events are lost. */
  readonly lagMs: number | undefined;
}

const attacks: readonly ActionKind[] = [
  'forge-records',
  'replay-records',
  'revert-and-replay',
  'flood-records',
  'garble-records',
  'forge-reviews',
  'flood-reviews',
];
const people: readonly ActionKind[] = ['dry-run', 'denied-edit', 'racing-edits'];
/** Actions on workloads, for worlds in which writes to workloads go through the webhook. */
const owners: readonly ActionKind[] = [
  'operator-syncs',
  'operator-syncs',
  'replace-workload',
  'release',
  'create-workload-and-edit',
];
const mishaps: readonly ActionKind[] = [
  'webhook-crash',
  'webhook-crash-in-review',
  'webhook-freeze',
  'webhook-stop',
  'webhook-partition',
  'webhook-skew-clock',
  'channel-cut',
  'crash-after-record',
];

/** Adds a webhook to about a quarter of the worlds. Its own draws keep the rest of each world as it is without. */
export function withHybrid(world: Omit<World, 'hybrid' | 'dark'>, draw: Draw): World {
  if (!draw.chance(0.25)) return { ...world, hybrid: undefined, dark: undefined };
  return world.calm ? calmHybrid(world, draw) : wildHybrid(world, draw);
}

function pathsOf(draw: Draw): readonly ReviewPath[] {
  return draw.pick<readonly ReviewPath[]>([['validate'], ['mutate'], ['mutate', 'validate']]);
}

function wildHybrid(world: Omit<World, 'hybrid' | 'dark'>, draw: Draw): World {
  const { stormMs } = world;
  const rate = (...rates: readonly [number, ...number[]]): number => draw.pick(rates);
  const hybrid: Hybrid = {
    replicas: draw.chance(0.4) ? 2 : 1,
    paths: pathsOf(draw),
    conditions: draw.chance(0.6),
    discover: draw.chance(0.4),
    calls: {
      maxLatencyMs: draw.pick([2, 20, 300]),
      lost: rate(0, 0, 0.2),
      lostAnswer: rate(0, 0, 0.1),
      twice: rate(0, 0, 0.3),
    },
    channel: {
      maxLatencyMs: draw.pick([2, 50, 500, 2_500]),
      lost: rate(0, 0, 0.3, 0.8),
      lostAnswer: rate(0, 0, 0.3),
      reset: rate(0, 0, 0.3),
      late: rate(0, 0, 0.4),
    },
  };
  const fromMs = draw.int(0, stormMs - 1);
  const dark: Darkness | undefined = draw.chance(0.3)
    ? { fromMs, toMs: stormMs, lagMs: draw.chance(0.5) ? draw.int(3_000, 40_000) : undefined }
    : undefined;
  const kinds = [
    ...draw.some(people, 0.5),
    ...(hybrid.paths.includes('mutate') ? draw.some(owners, 0.5) : []),
    ...draw.some(attacks, draw.pick([0, 0.3, 0.6])),
    ...draw.some(mishaps, draw.pick([0, 0.3, 0.6])),
  ];
  return { ...world, hybrid, dark, steps: merged(world.steps, drawSteps(kinds, draw, stormMs)) };
}

function drawSteps(kinds: readonly ActionKind[], draw: Draw, stormMs: number): readonly Step[] {
  const steps: Step[] = [];
  for (let left = kinds.length === 0 ? 0 : draw.int(1, 4); left > 0; left--) {
    const atMs = draw.int(0, stormMs - 1);
    const kind = draw.pickAny(kinds) ?? 'dry-run';
    steps.push({ kind, atMs, uponWrite: draw.chance(0.15), seed: draw.seed() });
    // Trouble for the webhook matters only if there is a change for it to see.
    const soonMs = Math.min(stormMs - 1, atMs + draw.int(0, draw.pick([20, 300, 2_000])));
    const company = draw.pick<ActionKind>(['edit-source', 'burst', 'revert-source', 'recreate-source']);
    if (draw.chance(0.6)) steps.push({ kind: company, atMs: soonMs, uponWrite: false, seed: draw.seed() });
  }
  return steps;
}

/** Nothing goes wrong except that the watches of sources may be cut. Then the webhook alone must be enough. */
function calmHybrid(world: Omit<World, 'hybrid' | 'dark'>, draw: Draw): World {
  const well = { maxLatencyMs: 15, lost: 0 };
  const hybrid: Hybrid = {
    replicas: draw.chance(0.4) ? 2 : 1,
    paths: pathsOf(draw),
    conditions: draw.chance(0.6),
    discover: draw.chance(0.4),
    calls: { ...well, lostAnswer: 0, twice: 0 },
    channel: { ...well, lostAnswer: 0, reset: 0, late: 0 },
  };
  const kinds = draw.some(
    [...people, 'forge-records', 'replay-records', 'garble-records', 'forge-reviews'] as const,
    0.4,
  );
  const isDark = draw.chance(0.6);
  const dark: Darkness | undefined = isDark
    ? { fromMs: 10_000, toMs: world.stormMs, lagMs: draw.chance(0.4) ? 60_000 : undefined }
    : undefined;
  const steps = world.steps.flatMap((step): readonly Step[] => {
    // What exists from the beginning is not a change, and nothing can come before it.
    if (kinds.length === 0 || step.atMs === 0 || !draw.chance(0.5)) return [step];
    const kind = draw.pickAny(kinds) ?? 'dry-run';
    return [step, { kind, atMs: step.atMs + draw.int(-3_000, 4_000), uponWrite: false, seed: draw.seed() }];
  });
  // The webhook does not know which of two replicas leads, so it must send to both.
  const replicas = dark && draw.chance(0.5) ? 2 : world.replicas;
  return { ...world, hybrid, dark, replicas, steps: merged(steps, []) };
}

function merged(left: readonly Step[], right: readonly Step[]): readonly Step[] {
  return [...left, ...right].sort((one, other) => one.atMs - other.atMs);
}
