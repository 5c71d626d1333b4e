import type { JsonObject } from '../kubernetes/json-value';
import { objectOf } from '../kubernetes/json-value';

/** `metadata.annotations`; a value of another type than string counts as missing. */
export type Annotations = JsonObject;

/** The annotation keys of Reloader's settings: its default names, or those set by its flags. */
export interface AnnotationKeys {
  readonly auto: string;
  readonly configMapAuto: string;
  readonly secretAuto: string;
  readonly secretProviderClassAuto: string;
  readonly configMapReload: string;
  readonly secretReload: string;
  readonly secretProviderClassReload: string;
  readonly search: string;
  readonly match: string;
  readonly kind: string;
  readonly ignore: string;
  readonly configMapExclude: string;
  readonly secretExclude: string;
  readonly secretProviderClassExclude: string;
  readonly rolloutStrategy: string;
  readonly pausePeriod: string;
  readonly pausedAt: string;
}

/** Reloader's own names: the exclude keys are plural, the others singular. */
export const defaultAnnotationKeys: AnnotationKeys = {
  auto: 'reloader.stakater.com/auto',
  configMapAuto: 'configmap.reloader.stakater.com/auto',
  secretAuto: 'secret.reloader.stakater.com/auto',
  secretProviderClassAuto: 'secretproviderclass.reloader.stakater.com/auto',
  configMapReload: 'configmap.reloader.stakater.com/reload',
  secretReload: 'secret.reloader.stakater.com/reload',
  secretProviderClassReload: 'secretproviderclass.reloader.stakater.com/reload',
  search: 'reloader.stakater.com/search',
  match: 'reloader.stakater.com/match',
  kind: 'reloader.stakater.com/kind',
  ignore: 'reloader.stakater.com/ignore',
  configMapExclude: 'configmaps.exclude.reloader.stakater.com/reload',
  secretExclude: 'secrets.exclude.reloader.stakater.com/reload',
  secretProviderClassExclude: 'secretproviderclasses.exclude.reloader.stakater.com/reload',
  rolloutStrategy: 'reloader.stakater.com/rollout-strategy',
  pausePeriod: 'deployment.reloader.stakater.com/pause-period',
  pausedAt: 'deployment.reloader.stakater.com/paused-at',
};

/** Prefix of every annotation that is Reroll's own. */
export const ownPrefix = 'reroll.dev/';

/** The field manager of everything that Reroll writes. */
export const ownFieldManager = 'reroll';

/** All are read from the workload's metadata, never from its pod template. */
export const ownAnnotations = {
  baseline: 'reroll.dev/baseline',
  lastRestart: 'reroll.dev/last-restart',
  strategy: 'reroll.dev/strategy',
  settle: 'reroll.dev/settle',
  settleMax: 'reroll.dev/settle-max',
  jobPolicy: 'reroll.dev/job-policy',
  cronJobPolicy: 'reroll.dev/cronjob-policy',
  /** Read by the webhook only. */
  lint: 'reroll.dev/lint',
} as const;

/** What bears annotations. */
export type AnnotationBearer = 'workload' | 'source' | 'namespace';

/**
 * When restarts may begin, and for which changes. Read from the metadata of workloads, sources and namespaces; see
 * docs/holding.md, docs/pace.md, docs/health.md and docs/what-counts.md.
 */
export const gateAnnotations = {
  hold: 'reroll.dev/hold',
  restart: 'reroll.dev/restart',
  windows: 'reroll.dev/windows',
  minInterval: 'reroll.dev/min-interval',
  /** On a source only. */
  urgent: 'reroll.dev/urgent',
  /** On a source or a namespace only. */
  maxRolling: 'reroll.dev/max-rolling',
  /** On a workload only, as the next ones. */
  wave: 'reroll.dev/wave',
  after: 'reroll.dev/after',
  canary: 'reroll.dev/canary',
  healthyUrl: 'reroll.dev/healthy-url',
  healthyQuery: 'reroll.dev/healthy-query',
  /** On a workload, a source or a namespace. */
  stages: 'reroll.dev/stages',
  /** On a source only; `reroll resume` writes it. */
  resumed: 'reroll.dev/resumed',
  /** On a source or a namespace; see docs/rollback.md. */
  onFailure: 'reroll.dev/on-failure',
  /** On a source only; Reroll writes it when it puts a content back. */
  rolledBack: 'reroll.dev/rolled-back',
  /** On a workload or a source. */
  keys: 'reroll.dev/keys',
  /** On a source only. */
  compare: 'reroll.dev/compare',
} as const;

/** A label on the contents that Reroll keeps beside a source. They are no sources themselves. */
export const keptLabel = 'reroll.dev/kept';

/** On the same objects. Reroll writes them, and puts nothing back without them. */
export const keptAnnotations = { note: 'reroll.dev/kept', mac: 'reroll.dev/kept-mac' } as const;

/** The ConfigMap in Reroll's namespace that holds all restarts as long as it is there. */
export const installHoldName = 'reroll-hold';

/** Annotations on a ConfigMap or Secret, read by the webhook. */
export const sourceAnnotations = {
  preview: 'reroll.dev/preview',
  validate: 'reroll.dev/validate',
  schema: 'reroll.dev/schema',
  requiredKeys: 'reroll.dev/required-keys',
  maxBytes: 'reroll.dev/max-bytes',
  /** On the ConfigMap that holds a schema. */
  isSchema: 'reroll.dev/is-schema',
} as const;

/** Reloader's marker on the pod template, written by the strategy `annotations`. */
export const lastReloadedFrom = 'reloader.stakater.com/last-reloaded-from';

/** The marker of `kubectl rollout restart`. */
export const restartedAt = 'kubectl.kubernetes.io/restartedAt';

/** The annotations of an object or a pod template in parsed JSON. */
export function annotationsOf(object: unknown): Annotations {
  return objectOf(objectOf(objectOf(object)['metadata'])['annotations']);
}

/** Undefined if the key is missing. Reloader treats an empty value differently from a missing key. */
export function annotation(annotations: Annotations, key: string): string | undefined {
  const value = annotations[key];
  return typeof value === 'string' ? value : undefined;
}

/** The two switches of a source. Only exactly `true` counts, unlike `auto`, which takes Go booleans. */
export function sourceFlags(
  annotations: Annotations,
  keys: AnnotationKeys,
): { readonly ignore: boolean; readonly match: boolean } {
  return { ignore: annotations[keys.ignore] === 'true', match: annotations[keys.match] === 'true' };
}
