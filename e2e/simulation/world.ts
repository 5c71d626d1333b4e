import type { StrategyName } from '../../shared/domain/workloads/workload-settings';
import type { ActionKind } from './actions';
import { withCrowd } from './crowd-world';
import { withCsi } from './csi-world';
import { Draw } from './draw';
import { withFaults } from './fault-world';
import { withFeatures, type Features } from './features';
import { withGates } from './gate-world';
import { withHybrid, type Darkness, type Hybrid } from './hybrid-world';
import { withLeavingOut } from './leaving-out';
import { withKeys } from './key-world';
import { withOwnSettings } from './own-settings';
import { withPace } from './pace-world';
import { withRollbacks } from './rollback-world';
import { withPolicies } from './policy-features';
import { withScope } from './scope-world';
import { withStages } from './stage-world';
import { withForms } from './use-forms';
import { withUpgrade } from './upgrade-world';
import { refusalKinds, weatherKinds, type Weather } from './weather';

/** One action in a world. */
export interface Step {
  readonly kind: ActionKind;
  readonly atMs: number;
  /**
   * Runs not at `atMs` but at the first write of an engine to a workload after it, when the write is stored and its
   * answer not yet sent.
   */
  readonly uponWrite: boolean;
  readonly seed: number;
}

/** Everything that a seed decides. Every run of a world is the same, and any step may be left out. */
export interface World {
  readonly seed: number;
  readonly replicas: 1 | 2;
  readonly strategy: StrategyName;
  /** Sources change one after the other and nothing goes wrong, so the exact number of restarts is known. */
  readonly calm: boolean;
  readonly controllers: boolean;
  readonly watchList: 'supported' | 'rejected' | 'ignored';
  /** How many writes a watch may be behind before it gets a 410. */
  readonly watchWindow: number;
  readonly maxLatencyMs: number;
  readonly lagMs: ReadonlyMap<string, number>;
  /** When all faults end. */
  readonly stormMs: number;
  readonly steps: readonly Step[];
  readonly weather: readonly Weather[];
  readonly features: Features;
  /** Undefined: no webhook is installed. */
  readonly hybrid: Hybrid | undefined;
  readonly dark: Darkness | undefined;
  /** After everything is done, new processes start a day later. */
  readonly laterTerm: boolean;
}

type Plain = Omit<World, 'hybrid' | 'dark' | 'features'>;

const watched = ['configmaps', 'secrets', 'deployments', 'statefulsets', 'daemonsets', 'cronjobs', 'jobs'] as const;

/** What a swarm draws from: what people do, and what happens to processes. */
const frequent: readonly ActionKind[] = ['edit-source', 'burst', 'revert-source'];
const people: readonly ActionKind[] = [
  'delete-source',
  'create-source',
  'recreate-source',
  'label-source',
  'edit-references',
  'edit-image',
  'replace-workload',
  'roll-back',
  'strip-baseline',
  'corrupt-baseline',
  'delete-workload',
  'create-workload',
  'create-workload-and-edit',
  'scale',
  'opt-in',
  'opt-out',
  'name-sources',
  'delete-namespace',
];
const mishaps: readonly ActionKind[] = ['crash', 'crash-long', 'freeze', 'stop', 'partition', 'compact', 'skew-clock'];

/**
 * Draws a world. As in swarm testing, each world has a few of the things that can happen, and those often. So some
 * worlds are quiet, some are all conflicts, and some only crash.
 */
export function drawWorld(seed: number): World {
  const featured = withFeatures(drawPlain(seed), new Draw(seed ^ 0x38b34ae5));
  const selecting = withLeavingOut(withPolicies(featured, new Draw(seed ^ 0x7f4a7c15)), new Draw(seed ^ 0x165667b1));
  const world = withFaults(withHybrid(selecting, new Draw(seed ^ 0x1b873593)));
  const upgraded = withUpgrade(withCsi(world, new Draw(seed ^ 0x4cf5ad43)), new Draw(seed ^ 0x27d4eb2f));
  const crowded = withCrowd(upgraded, new Draw(seed ^ 0x1f83d9ab));
  const settled = withOwnSettings(crowded, new Draw(seed ^ 0x5be0cd19));
  const gated = withGates(settled, new Draw(seed ^ 0x510e527f));
  const paced = withPace(gated, new Draw(seed ^ 0x428a2f98));
  const staged = withStages(paced, new Draw(seed ^ 0x71374491));
  const rolledBack = withRollbacks(staged, new Draw(seed ^ 0xb5c0fbcf));
  const counted = withKeys(rolledBack, new Draw(seed ^ 0x3956c25b));
  return withForms(withScope(counted, new Draw(seed ^ 0x159dac26)), new Draw(seed ^ 0x5e30b4b9));
}

function drawPlain(seed: number): Plain {
  const draw = new Draw(seed);
  const calm = draw.chance(0.12);
  const shared = {
    seed,
    calm,
    laterTerm: new Draw(seed ^ 0x6a09e667).chance(0.25),
    strategy: draw.pick<StrategyName>(['env-vars', 'env-vars', 'annotations', 'restarted-at']),
    controllers: draw.chance(0.12),
    watchList: draw.pick<Plain['watchList']>(['supported', 'supported', 'rejected', 'ignored']),
  };
  if (calm) return { ...shared, ...drawCalm(draw) };
  const replicas = draw.chance(0.17) ? 2 : 1;
  // A second replica matters only if there is time for it to take over, and for the first to come back.
  const stormMs = (replicas === 2 ? draw.int(45, 75) : draw.int(8, draw.pick([15, 25, 60]))) * 1000;
  return {
    ...shared,
    replicas,
    watchWindow: draw.chance(0.2) ? draw.int(1, 8) : 1000,
    maxLatencyMs: draw.pick([5, 50, 500, 3_000]),
    lagMs: new Map(draw.some(watched, draw.pick([0, 0.4, 0.8])).map((name) => [name, draw.int(50, 8_000)])),
    stormMs,
    steps: drawSteps(draw, stormMs),
    weather: [...drawWeather(draw, stormMs), ...drawRefusals(new Draw(seed ^ 0x3c6ef372), stormMs)],
  };
}

function drawSteps(draw: Draw, stormMs: number): readonly Step[] {
  const kinds = [
    ...frequent,
    ...frequent,
    ...draw.some(people, draw.pick([0.1, 0.3, 0.6])),
    ...draw.some(mishaps, draw.pick([0, 0.2, 0.5])),
  ];
  // Most worlds are small: a small one finds most of what a large one does, and several run in the same time.
  const count = draw.int(2, draw.pick([4, 6, 12]));
  const steps: Step[] = [];
  for (let index = 0; index < count; index++) {
    const kind = draw.pickAny(kinds) ?? 'edit-source';
    const atMs = draw.int(0, stormMs - 1);
    steps.push({ kind, atMs, uponWrite: draw.chance(0.15), seed: draw.seed() });
    // Actions that are close together find more bugs than single ones.
    if (!draw.chance(0.35)) continue;
    const soonMs = Math.min(stormMs - 1, atMs + draw.int(0, draw.pick([300, 2_000, 6_000])));
    steps.push({ kind: draw.pickAny(kinds) ?? 'burst', atMs: soonMs, uponWrite: draw.chance(0.2), seed: draw.seed() });
  }
  return steps.sort((left, right) => left.atMs - right.atMs);
}

function drawWeather(draw: Draw, stormMs: number): readonly Weather[] {
  return draw.some(weatherKinds, draw.pick([0, 0.08, 0.2, 0.35])).map((kind) => {
    const fromMs = draw.chance(0.3) ? 0 : draw.int(0, stormMs - 1);
    const toMs = Math.min(stormMs, fromMs + draw.int(1_000, stormMs));
    const rate = draw.pick([0.05, 0.2, 0.5, 1]);
    const resource = draw.chance(0.6) ? draw.pick([...watched, 'leases']) : undefined;
    return { kind, fromMs, toMs, rate, resource, seed: draw.seed() };
  });
}

/** Uses its own draws, so that a world without refusals stays as it is. */
function drawRefusals(draw: Draw, stormMs: number): readonly Weather[] {
  return draw.some(refusalKinds, draw.pick([0, 0, 0, 0.5])).map((kind) => {
    const fromMs = draw.int(0, stormMs - 1);
    const resource = draw.chance(0.5) ? draw.pick(watched.slice(2) as [string, ...string[]]) : undefined;
    return { kind, fromMs, toMs: stormMs, rate: draw.pick([0.5, 1]), resource, seed: draw.seed() };
  });
}

function drawCalm(
  draw: Draw,
): Pick<World, 'replicas' | 'watchWindow' | 'maxLatencyMs' | 'lagMs' | 'stormMs' | 'steps' | 'weather'> {
  const steps: Step[] = [];
  const count = draw.int(2, 6);
  // Far enough apart that each settles before the next begins.
  const apartMs = 15_000;
  for (let index = 1; index <= count; index++) {
    const kind = draw.pick<ActionKind>(['edit-source', 'burst', 'burst-and-revert', 'label-source', 'scale']);
    steps.push({ kind, atMs: index * apartMs, uponWrite: false, seed: draw.seed() });
  }
  const stormMs = (count + 1) * apartMs;
  return { replicas: 1, watchWindow: 1000, maxLatencyMs: 20, lagMs: new Map(), stormMs, steps, weather: [] };
}
