import { type ApiServer } from './api-server';
import type { JsonObject, JsonValue } from './json';
import type { KubeObject, ObjectInput } from './objects';
import { writeBy } from './registry';
import { namespaceKind } from './resources';

/**
 * Options for building test objects as a user would write them. A test sets only what matters to it.
 *
 * @example
 * seed(server, configMap({ name: 'settings', data: { level: 'info' } }));
 * seed(server, deployment({ name: 'web', annotations: { 'reloader.stakater.com/auto': 'true' }, envFrom: [fromConfigMap('settings')] }));
 */
export interface ObjectOptions {
  readonly name: string;
  /** Defaults to `default`. */
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface SourceOptions extends ObjectOptions {
  /** Plain text. For a Secret, it is encoded as base64. */
  readonly data?: Readonly<Record<string, string>>;
  /** Base64. */
  readonly binaryData?: Readonly<Record<string, string>>;
  readonly immutable?: boolean;
}

/** Options for the pod template of a workload. */
export interface PodOptions {
  readonly podAnnotations?: Readonly<Record<string, string>>;
  readonly podLabels?: Readonly<Record<string, string>>;
  readonly image?: string;
  readonly env?: readonly JsonObject[];
  readonly envFrom?: readonly JsonObject[];
  readonly volumes?: readonly JsonObject[];
  readonly volumeMounts?: readonly JsonObject[];
  readonly initContainers?: readonly JsonObject[];
  /** Replaces the single container `app` that the options above describe. */
  readonly containers?: readonly JsonObject[];
}

export interface WorkloadOptions extends ObjectOptions, PodOptions {
  readonly replicas?: number;
  /** Merged into `spec`. */
  readonly spec?: JsonObject;
}

export function namespace(name: string, options: Omit<ObjectOptions, 'name' | 'namespace'> = {}): ObjectInput {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, ...options } };
}

export function configMap({ data, binaryData, immutable, ...options }: SourceOptions): ObjectInput {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadata(options),
    ...defined({ data, binaryData, immutable }),
  };
}

export function secret({
  data = {},
  binaryData = {},
  immutable,
  ...options
}: SourceOptions & { readonly type?: string }): ObjectInput {
  const { type, ...rest } = options;
  const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: metadata(rest),
    ...defined({ type, immutable, data: { ...Object.fromEntries(encoded), ...binaryData } }),
  };
}

export function deployment(options: WorkloadOptions): ObjectInput {
  return workload('apps/v1', 'Deployment', options, { replicas: options.replicas ?? 1 });
}

export function statefulSet(options: WorkloadOptions): ObjectInput {
  return workload('apps/v1', 'StatefulSet', options, { replicas: options.replicas ?? 1, serviceName: options.name });
}

export function daemonSet(options: WorkloadOptions): ObjectInput {
  return workload('apps/v1', 'DaemonSet', options, {});
}

export function job(options: WorkloadOptions): ObjectInput {
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: metadata(options), spec: jobSpec(options) };
}

export function cronJob(options: WorkloadOptions & { readonly schedule?: string }): ObjectInput {
  const { spec, schedule = '0 3 * * *' } = options;
  const jobTemplate = { spec: jobSpec({ ...options, spec: {} }) };
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: metadata(options),
    spec: { schedule, jobTemplate, ...spec },
  };
}

/** An `envFrom` entry for a whole ConfigMap. */
export function fromConfigMap(name: string, optional?: boolean): JsonObject {
  return { configMapRef: { name, ...defined({ optional }) } };
}

/** An `envFrom` entry for a whole Secret. */
export function fromSecret(name: string, optional?: boolean): JsonObject {
  return { secretRef: { name, ...defined({ optional }) } };
}

/** An environment variable set from one key. */
export function envFromKey(
  kind: 'ConfigMap' | 'Secret',
  name: string,
  key: string,
  variable = key.toUpperCase(),
): JsonObject {
  return { name: variable, valueFrom: { [kind === 'Secret' ? 'secretKeyRef' : 'configMapKeyRef']: { name, key } } };
}

/** A volume for a ConfigMap or Secret, with only the given keys or with all. */
export function volumeOf(kind: 'ConfigMap' | 'Secret', name: string, keys?: readonly string[]): JsonObject {
  const items = keys?.map((key) => ({ key, path: key }));
  return kind === 'Secret'
    ? { name: `secret-${name}`, secret: { secretName: name, ...defined({ items }) } }
    : { name: `configmap-${name}`, configMap: { name, ...defined({ items }) } };
}

/** Stores the initial objects of a test: synchronously, without admission and quota. Creates missing namespaces. */
export function seed(server: ApiServer, ...objects: readonly ObjectInput[]): readonly KubeObject[] {
  return objects.map((object) => {
    const kind = server.kindOf(object.kind);
    const within = kind.namespaced ? (object.metadata.namespace ?? 'default') : undefined;
    if (within !== undefined) seedNamespace(server, within);
    return server.registry.seed(writeBy('admin', 'kubectl', 'create'), kind, within, object);
  });
}

/** Creates a namespace if it does not exist. */
export function seedNamespace(server: ApiServer, name: string): void {
  if (server.store.get(namespaceKind, name) !== undefined) return;
  server.registry.seed(writeBy('admin', 'kubectl', 'create'), namespaceKind, undefined, namespace(name));
}

function workload(apiVersion: string, kind: string, options: WorkloadOptions, spec: JsonObject): ObjectInput {
  const matchLabels = { app: options.name };
  const template = podTemplate(options, matchLabels);
  return {
    apiVersion,
    kind,
    metadata: metadata(options),
    spec: { ...spec, selector: { matchLabels }, template, ...options.spec },
  };
}

function jobSpec(options: WorkloadOptions): JsonObject {
  const template = podTemplate(options, {});
  return {
    template: { ...template, spec: { restartPolicy: 'Never', ...(template['spec'] as JsonObject) } },
    ...options.spec,
  };
}

function podTemplate(options: PodOptions, labels: Readonly<Record<string, string>>): JsonObject {
  const { image = 'registry.example/app:1', env, envFrom, volumeMounts, volumes, initContainers } = options;
  const app = { name: 'app', image, ...defined({ env, envFrom, volumeMounts }) };
  return {
    metadata: defined({ labels: { ...labels, ...options.podLabels }, annotations: options.podAnnotations }),
    spec: { containers: options.containers ?? [app], ...defined({ initContainers, volumes }) },
  };
}

function metadata({
  name,
  namespace: within = 'default',
  labels,
  annotations,
}: ObjectOptions): JsonObject & { name: string } {
  return { name, namespace: within, ...defined({ labels, annotations }) };
}

/** Drops the keys whose value is undefined. */
function defined(values: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
