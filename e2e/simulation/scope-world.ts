import type { EngineSettings } from '../../reconciler/options/engine-settings';
import type { KubeObject } from '../apiserver/objects';
import type { Draw } from './draw';
import { isGated } from './gate-world';
import { weatherKinds, type Weather } from './weather';
import type { World } from './world';

/** What an install looks after, if that is not everything. */
export interface Scope {
  /** Watched one by one; empty: the whole cluster is watched. */
  readonly namespaces: readonly string[];
  readonly ignoredSourceKind: 'ConfigMap' | 'Secret' | undefined;
  readonly ignoredWorkloadKinds: readonly ('Job' | 'CronJob')[];
}

interface Scoped {
  readonly scope?: Scope;
  readonly autoReloadAll: boolean;
}

/** Some installs look after single namespaces, or leave out kinds. Uses its own draws, so the other worlds stay as they are. */
export function withScope(world: World, draw: Draw): World {
  const { selectsNamespaces, leavesOutNamespaces, namespacesToIgnore, crowd } = world.features;
  const isSelecting = selectsNamespaces || leavesOutNamespaces || namespacesToIgnore.length > 0;
  if (isSelecting || crowd || !draw.chance(0.09)) return world;
  const scope: Scope = {
    namespaces: draw.pick([[], ['default'], ['shop'], ['shop', 'default'], ['shop', 'default']]),
    ignoredSourceKind: draw.pick([undefined, undefined, 'ConfigMap', 'Secret']),
    ignoredWorkloadKinds: draw.some(['Job', 'CronJob'] as const, 0.3),
  };
  // In bad weather nobody can say what a process must know of a hold.
  const isWell = world.calm || isGated(world) || scope.namespaces.length === 0;
  const weather = isWell ? [] : drawWeatherOf(draw, scope.namespaces, world.stormMs);
  return { ...world, weather: [...world.weather, ...weather], features: { ...world.features, scope } };
}

/** The Role of one namespace may be missing, and each namespace has streams of its own that may fail. */
function drawWeatherOf(draw: Draw, namespaces: readonly string[], stormMs: number): readonly Weather[] {
  return draw.some([...weatherKinds, 'forbidden' as const], draw.pick([0, 0.1, 0.2])).map((kind) => {
    const fromMs = draw.chance(0.4) ? 0 : draw.int(0, stormMs - 1);
    const toMs = Math.min(stormMs, fromMs + draw.int(1_000, stormMs));
    const resource = draw.pickAny(namespaces);
    return { kind, fromMs, toMs, rate: draw.pick([0.2, 0.5, 1]), resource, seed: draw.seed() };
  });
}

/** The command-line settings of the engine. */
export function scopeSettingsOf({ scope, autoReloadAll }: Scoped): Partial<EngineSettings> {
  if (!scope) return {};
  const { namespaces, ignoredSourceKind, ignoredWorkloadKinds } = scope;
  return { namespaces, ignoredSourceKind, policy: { autoReloadAll, ignoredWorkloadKinds } };
}

export function isWatchedNamespace({ scope }: Pick<Scoped, 'scope'>, name: string): boolean {
  return !scope || scope.namespaces.length === 0 || scope.namespaces.includes(name);
}

/** Whether the install looks after objects of this kind. */
export function isWatchedKind({ scope }: Pick<Scoped, 'scope'>, { kind }: Pick<KubeObject, 'kind'>): boolean {
  const ignored: readonly (string | undefined)[] = scope
    ? [scope.ignoredSourceKind, ...scope.ignoredWorkloadKinds]
    : [];
  return !ignored.includes(kind);
}
