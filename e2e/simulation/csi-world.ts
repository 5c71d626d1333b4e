import type { ActionKind } from './actions';
import type { Draw } from './draw';
import { weatherKinds, type Weather } from './weather';
import type { Step, World } from './world';

const statuses = 'secretproviderclasspodstatuses';
const kinds: readonly ActionKind[] = [
  'rotate',
  'rotate',
  'rotate-and-crash',
  'rotate-twice-and-crash',
  'rotate-and-replace-pods',
  'replace-pods-unseen',
  'replace-pods',
  'add-pod',
];
/** In a calm world a rotation is this far from every other step, so that each is settled before the next begins. */
const betweenMs = 7_500;

/** Adds a CSI driver to some worlds. It has draws of its own, so the other worlds stay as they are. */
export function withCsi(world: World, draw: Draw): World {
  if (world.dark !== undefined || !draw.chance(0.12)) return world;
  const { stormMs, calm } = world;
  const steps: Step[] = [];
  const add = (kind: ActionKind, atMs: number): void => {
    steps.push({ kind, atMs, uponWrite: !calm && draw.chance(0.15), seed: draw.seed() });
  };
  if (calm) {
    for (let atMs = 15_000 + betweenMs; atMs < stormMs; atMs += 15_000) if (draw.chance(0.6)) add('rotate', atMs);
  } else
    for (let left = draw.int(2, 6); left > 0; left--) add(draw.pickAny(kinds) ?? 'rotate', draw.int(1, stormMs - 1));
  const features = { ...world.features, csi: { servedAtMs: !calm && draw.chance(0.12) ? draw.int(1, stormMs) : 0 } };
  const all = [...world.steps, ...steps].sort((left, right) => left.atMs - right.atMs);
  if (calm) return { ...world, features, steps: all };
  const lagMs = new Map([...world.lagMs, ...(draw.chance(0.4) ? [[statuses, draw.int(50, 8_000)] as const] : [])]);
  return { ...world, features, lagMs, steps: all, weather: [...world.weather, ...drawWeather(draw, stormMs)] };
}

function drawWeather(draw: Draw, stormMs: number): readonly Weather[] {
  return draw.some(weatherKinds, draw.pick([0, 0, 0.15])).map((kind) => {
    const fromMs = draw.int(0, stormMs - 1);
    const toMs = Math.min(stormMs, fromMs + draw.int(1_000, stormMs));
    return { kind, fromMs, toMs, rate: draw.pick([0.2, 0.5, 1]), resource: statuses, seed: draw.seed() };
  });
}
