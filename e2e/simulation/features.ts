import type { EngineSettings } from '../../reconciler/options/engine-settings';
import { parseSelector } from '../../shared/domain/kubernetes/selector';
import type { ActionKind } from './actions';
import type { Crowd } from './crowd-world';
import type { Draw } from './draw';
import { gateSettingsOf, type GateFlags } from './gate-flags';
import { nothingLeftOut, type LeavingOut } from './leaving-out';
import { paceSettingsOf, type PaceFlags } from './pace-flags';
import { noPolicyFeatures, policySettingsOf, type PolicyFeatures } from './policy-features';
import { scopeSettingsOf, type Scope } from './scope-world';
import { stageSettingsOf, type StageFlags } from './stage-flags';
import { namespaceSelectorOf, sourceSelectorOf } from './selection';
import type { Step, World } from './world';

/** What an install uses beyond the defaults. */
export interface Features extends PolicyFeatures, LeavingOut {
  /** Deployments request pauses. */
  readonly pauses: boolean;
  readonly reloadOnCreate: boolean;
  readonly reloadOnDelete: boolean;
  /** Only sources with the label count. */
  readonly selectsSources: boolean;
  readonly selectsNamespaces: boolean;
  /** Namespaces that are excluded by name. */
  readonly namespacesToIgnore: readonly string[];
  /** Sources and workloads are changed together, and controllers roll the workloads out. */
  readonly releases: boolean;
  /** Somebody who should not can write Secrets in Reroll's namespace. */
  readonly intruder: boolean;
  /** A CSI driver mounts secrets, once its API is served. */
  readonly csi: { readonly servedAtMs: number } | undefined;
  /** The world is large. */
  readonly crowd?: Crowd;
  /** Workloads have their own strategies, settle windows and job policies. */
  readonly ownSettings?: boolean;
  /** Restarts are held, or restricted to windows. */
  readonly gates?: GateFlags;
  /** Only so many workloads roll out at once, in an order. */
  readonly pace?: PaceFlags;
  /** Workloads use their sources in init containers, sidecars, projected volumes and parts of volumes, too. */
  readonly forms?: boolean;
  /** What the install looks after, if that is not everything. */
  readonly scope?: Scope;
  /** How a change reaches the users of a source, where that is not all at once. */
  readonly stages?: StageFlags;
}

export const noFeatures: Features = {
  pauses: false,
  reloadOnCreate: false,
  reloadOnDelete: false,
  selectsSources: false,
  selectsNamespaces: false,
  namespacesToIgnore: [],
  releases: false,
  intruder: false,
  ...noPolicyFeatures,
  ...nothingLeftOut,
  csi: undefined,
};

type Plain = Omit<World, 'hybrid' | 'dark' | 'features'>;

const ofPauses: readonly ActionKind[] = [
  'resume-by-hand',
  'resume-by-hand',
  'pause-by-hand',
  'ask-for-pause',
  'hold-and-crash',
];
const ofAppearances: readonly ActionKind[] = ['create-source', 'create-source', 'delete-source', 'recreate-source'];
const ofSources: readonly ActionKind[] = ['select-source', 'deselect-source', 'reselect-source'];
const ofNamespaces: readonly ActionKind[] = ['select-namespace', 'deselect-namespace', 'reselect-namespace'];

const ofBoth: readonly ActionKind[] = ['hold-and-deselect-namespace', 'hold-and-deselect-namespace'];

/** Adds each feature to some worlds. Features have draws of their own, so a world without any stays as it is. */
export function withFeatures(world: Plain, draw: Draw): Omit<World, 'hybrid' | 'dark'> {
  const reloads = draw.chance(0.15) ? draw.pick(['create', 'delete', 'both']) : 'none';
  const selectsNamespaces = draw.chance(0.12);
  const features: Omit<Features, 'releases' | 'intruder' | 'csi' | keyof PolicyFeatures | keyof LeavingOut> = {
    // Pauses and selected namespaces together are a case of their own.
    pauses: draw.chance(selectsNamespaces ? 0.4 : 0.12),
    reloadOnCreate: reloads === 'create' || reloads === 'both',
    reloadOnDelete: reloads === 'delete' || reloads === 'both',
    selectsSources: draw.chance(0.12),
    selectsNamespaces,
    namespacesToIgnore: draw.chance(0.04) ? ['shop'] : [],
  };
  const steps: Step[] = [];
  const add = (kind: ActionKind, atMs: number): void => {
    steps.push({ kind, atMs, uponWrite: draw.chance(0.15) && atMs > 0, seed: draw.seed() });
  };
  if (features.pauses) for (let left = draw.int(1, 3); left > 0; left--) add('ask-for-pause', 0);
  const kinds = [
    ...(features.pauses ? ofPauses : []),
    ...(reloads === 'none' ? [] : ofAppearances),
    ...(features.selectsSources ? ofSources : []),
    ...(features.selectsNamespaces ? ofNamespaces : []),
    ...(features.selectsNamespaces && features.pauses ? ofBoth : []),
  ];
  // A calm world gets no such steps: only contents change in it, so its exact number of restarts is known.
  for (let left = world.calm || kinds.length === 0 ? 0 : draw.int(1, 4); left > 0; left--) {
    const atMs = draw.int(0, world.stormMs - 1);
    // These actions matter while a restart is owed.
    if (draw.chance(0.6)) add('edit-source', Math.max(1, atMs - draw.int(0, draw.pick([900, 3_000, 10_000]))));
    add(draw.pickAny(kinds) ?? 'edit-source', Math.max(1, atMs));
  }
  // Drawn last, so that worlds without releases stay as they are.
  const releases = !world.calm && draw.chance(world.controllers ? 0.6 : 0.04);
  const controllers = world.controllers || releases;
  for (let left = releases ? draw.int(2, 4) : 0; left > 0; left--) add('release', draw.int(1, world.stormMs - 1));
  const intruder = !world.calm && draw.chance(0.06);
  if (intruder) add('forge-entry', draw.int(1, world.stormMs - 1));
  const all = [...world.steps, ...steps].sort((left, right) => left.atMs - right.atMs);
  return {
    ...world,
    controllers,
    features: { ...noFeatures, ...features, releases, intruder },
    steps: steps.length === 0 ? world.steps : all,
  };
}

/** The engine's settings, as given on its command line. */
export function settingsOf(features: Features): Partial<EngineSettings> {
  const { reloadOnCreate, reloadOnDelete, namespacesToIgnore, csi, gates, pace, stages } = features;
  const [sourceSelector, namespaceSelector] = [sourceSelectorOf(features), namespaceSelectorOf(features)];
  return {
    // Without it, a process that has no permission for the Lease acts as if alone. Only with it is it promised that no
    // two processes act.
    replicated: true,
    ...{ reloadOnCreate, reloadOnDelete, namespacesToIgnore, csi: csi !== undefined },
    ...policySettingsOf(features),
    ...scopeSettingsOf(features),
    ...gateSettingsOf(gates),
    ...paceSettingsOf(pace),
    ...stageSettingsOf(stages),
    ...(sourceSelector !== undefined && { sourceSelector: parseSelector(sourceSelector) }),
    ...(namespaceSelector !== undefined && { namespaceSelector: parseSelector(namespaceSelector) }),
  };
}
