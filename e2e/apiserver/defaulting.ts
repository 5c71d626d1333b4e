import {
  isObject,
  objectAt,
  stringAt,
  textOf,
  withoutNulls,
  withValueAt,
  type JsonObject,
  type JsonValue,
} from './json';
import { defaultPodSpec } from './pod-defaults';
import type { ResourceKind } from './resources';

/** Sets defaults as the API's defaulting functions do. Drops nulls, and empty maps and lists in metadata. */
export function applyDefaults(kind: ResourceKind, object: JsonObject): JsonObject {
  const cleaned = withoutNulls(object);
  const filled = kind.custom ? cleaned : (defaultsByKind[kind.kind] ?? unchanged)(cleaned);
  return { ...filled, metadata: withoutEmpty(objectAt(filled, 'metadata')) };
}

type Defaults = (object: JsonObject) => JsonObject;

const unchanged: Defaults = (object) => object;

/** Where a kind keeps its PodSpec; undefined if it has none. */
export function podSpecPath(kind: ResourceKind): readonly string[] | undefined {
  if (kind.custom) return undefined;
  return podSpecPaths[kind.kind];
}

const template = ['spec', 'template', 'spec'];
const podSpecPaths: Readonly<Record<string, readonly string[]>> = {
  Pod: ['spec'],
  Deployment: template,
  StatefulSet: template,
  DaemonSet: template,
  ReplicaSet: template,
  Job: template,
  CronJob: ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
};

function withPodSpec(kind: string, object: JsonObject): JsonObject {
  const path = podSpecPaths[kind] ?? [];
  return withValueAt(object, path, defaultPodSpec(objectAt(object, ...path)));
}

function workload(kind: string, spec: (spec: JsonObject) => JsonObject): Defaults {
  return (object) => {
    const current = objectAt(object, 'spec');
    return withPodSpec(kind, { ...object, spec: { ...spec(current), ...current } });
  };
}

const rollingUpdate = (percent: JsonObject): JsonObject => ({ type: 'RollingUpdate', rollingUpdate: percent });

const defaultsByKind: Readonly<Record<string, Defaults>> = {
  Pod: (object) => ({
    ...withPodSpec('Pod', object),
    status: { phase: 'Pending', ...objectAt(object, 'status') },
  }),
  Deployment: (object) => {
    const filled = workload('Deployment', () => ({
      replicas: 1,
      strategy: {},
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    }))(object);
    return withValueAt(filled, ['spec', 'strategy'], deploymentStrategy(objectAt(filled, 'spec', 'strategy')));
  },
  StatefulSet: workload('StatefulSet', () => ({
    replicas: 1,
    podManagementPolicy: 'OrderedReady',
    updateStrategy: rollingUpdate({ partition: 0 }),
    revisionHistoryLimit: 10,
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
  })),
  DaemonSet: workload('DaemonSet', () => ({
    updateStrategy: rollingUpdate({ maxUnavailable: 1, maxSurge: 0 }),
    revisionHistoryLimit: 10,
  })),
  ReplicaSet: workload('ReplicaSet', () => ({ replicas: 1 })),
  Job: workload('Job', defaultJobSpec),
  CronJob: workload('CronJob', () => ({
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  })),
  Secret: (object) => mergeStringData({ ...object, type: object['type'] ?? 'Opaque' }),
  Namespace: (object) => {
    const name = stringAt(object, 'metadata', 'name') ?? '';
    const labelled = withValueAt(object, ['metadata', 'labels', 'kubernetes.io/metadata.name'], name);
    const finalizers = { finalizers: ['kubernetes'], ...objectAt(object, 'spec') };
    return { ...labelled, spec: finalizers, status: { phase: 'Active', ...objectAt(object, 'status') } };
  },
};

function defaultJobSpec(spec: JsonObject): JsonObject {
  // A Job that sets neither completes once. A Job that sets only parallelism is a work queue.
  const completions = spec['completions'] === undefined && spec['parallelism'] === undefined ? { completions: 1 } : {};
  return {
    parallelism: 1,
    ...completions,
    completionMode: 'NonIndexed',
    backoffLimit: 6,
    suspend: false,
    podReplacementPolicy: 'TerminatingOrFailed',
  };
}

function deploymentStrategy(strategy: JsonObject): JsonObject {
  if (strategy['type'] === 'Recreate') return strategy;
  const limits = objectAt(strategy, 'rollingUpdate');
  return rollingUpdate({ maxUnavailable: '25%', maxSurge: '25%', ...limits });
}

/** stringData is write-only: it is encoded into data, overwrites existing keys, and is never stored. */
function mergeStringData(secret: JsonObject): JsonObject {
  const { stringData, ...rest } = secret;
  if (!isObject(stringData)) return rest;
  const data: Record<string, JsonValue | undefined> = { ...objectAt(secret, 'data') };
  for (const [key, value] of Object.entries(stringData)) data[key] = Buffer.from(textOf(value)).toString('base64');
  return { ...rest, data };
}

function withoutEmpty(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: JsonValue | undefined): boolean {
  return value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
}
