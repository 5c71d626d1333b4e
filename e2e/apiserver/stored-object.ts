import { type Random, randomHex } from '../../shared/runtime/random';
import { type JsonObject, objectAt, without } from './json';
import type { KubeObject, ObjectMeta } from './objects';
import { apiVersionOf, deploymentKind, namespaceKind, type ResourceKind } from './resources';

export type PropagationPolicy = 'Background' | 'Foreground' | 'Orphan';

/** Undoes what a request may not change: a status write changes only status and metadata, others all but the status. */
export function allowedChange(
  subresource: string | undefined,
  kind: ResourceKind,
  current: KubeObject,
  candidate: JsonObject,
): JsonObject {
  if (!kind.subresources.includes('status')) return candidate;
  if (subresource !== 'status') return { ...without(candidate, 'status'), ...pick(current, 'status') };
  const metadata = objectAt(candidate, 'metadata');
  // A status write may change metadata, except a Deployment's labels (registry/apps/deployment/strategy.go).
  const labels = kind === deploymentKind ? { labels: current.metadata.labels } : {};
  return { ...current, metadata: { ...metadata, ...labels }, ...pick(candidate, 'status') };
}

/** The object marked as being deleted. If no finalizers are left in it, the caller removes it. */
export function markDeleted(
  kind: ResourceKind,
  object: KubeObject,
  policy: PropagationPolicy,
  now: string,
): KubeObject {
  const { finalizers = [], generation, deletionTimestamp, ...metadata } = object.metadata;
  const others = finalizers.filter((name) => name !== 'orphan' && name !== 'foregroundDeletion');
  const own = policy === 'Orphan' ? ['orphan'] : policy === 'Foreground' ? ['foregroundDeletion'] : [];
  const held = [...others, ...own];
  const firstTime = deletionTimestamp === undefined ? 1 : 0;
  const terminating = kind === namespaceKind ? { status: { ...objectAt(object, 'status'), phase: 'Terminating' } } : {};
  return {
    ...object,
    ...terminating,
    metadata: {
      ...metadata,
      ...(generation === undefined ? {} : { generation: generation + firstTime }),
      deletionTimestamp: deletionTimestamp ?? now,
      deletionGracePeriodSeconds: 0,
      ...(held.length === 0 ? {} : { finalizers: held }),
    },
  };
}

function pick(object: JsonObject, field: string): JsonObject {
  return object[field] === undefined ? {} : { [field]: object[field] };
}

/** Sets the apiVersion and kind of the request path, whatever the client sent. */
export function typed(kind: ResourceKind, object: JsonObject): JsonObject {
  return { ...object, apiVersion: apiVersionOf(kind), kind: kind.kind };
}

const serverMetadataFields = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
] as const;

/** The metadata that clients may write. */
export function clientMetadata(object: JsonObject): JsonObject {
  return without(objectAt(object, 'metadata'), ...serverMetadataFields);
}

/** The metadata that clients cannot change. */
export function serverMetadata(metadata: ObjectMeta): JsonObject {
  const kept: Record<string, JsonObject[string]> = { name: metadata.name };
  if (metadata.namespace !== undefined) kept['namespace'] = metadata.namespace;
  for (const field of serverMetadataFields) {
    const value = (metadata as JsonObject)[field];
    if (value !== undefined) kept[field] = value;
  }
  return kept;
}

/** The only place that turns checked JSON into a stored object. */
export function asStored(kind: ResourceKind, object: JsonObject, metadata: JsonObject): KubeObject {
  return { ...typed(kind, object), metadata: metadata as unknown as ObjectMeta } as KubeObject;
}

/** Adds a Job's selector and pod labels: it selects pods by its own uid, which only the server knows. */
export function withJobSelector(job: KubeObject): KubeObject {
  const spec = objectAt(job, 'spec');
  if (spec['selector'] !== undefined || spec['manualSelector'] === true) return job;
  const { uid, name } = job.metadata;
  const template = objectAt(spec, 'template');
  const metadata = objectAt(template, 'metadata');
  const labels = {
    ...objectAt(metadata, 'labels'),
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  const selector = { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } };
  return { ...job, spec: { ...spec, selector, template: { ...template, metadata: { ...metadata, labels } } } };
}

export function newUid(random: Random): string {
  const hex = randomHex(random, 32);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}
