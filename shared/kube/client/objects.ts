import * as z from 'zod';
import { ownFieldManager } from '../../domain/annotations/annotations';
import type { KubeClient } from './client';
import { ProtocolError } from '../errors';
import type { Resource } from '../resource';
import { resourceName, resourcePath } from '../resource';

const objectMeta = z.looseObject({
  name: z.string(),
  namespace: z.string().optional(),
  uid: z.string(),
  resourceVersion: z.string(),
  generation: z.number().optional(),
  creationTimestamp: z.string().optional(),
  deletionTimestamp: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
});

const kubeObject = z.looseObject({ metadata: objectMeta });

const kubeList = z.looseObject({
  metadata: z.looseObject({ continue: z.string().optional() }).optional(),
  items: z.array(kubeObject).nullish(),
});

const versionedList = z.looseObject({ metadata: z.looseObject({ resourceVersion: z.string() }) });

export type ObjectMeta = Readonly<z.infer<typeof objectMeta>>;

/** The version that a write has stored; `managedFields` shows the time of the write. */
export interface StoredVersion extends Pick<ObjectMeta, 'resourceVersion' | 'generation'> {
  readonly managedFields?: unknown;
}

/** Any API object in JSON; unknown fields are kept. */
export interface KubeObject {
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** An object reduced to its metadata by the server. */
export interface PartialObjectMetadata {
  readonly metadata: ObjectMeta;
}

/** Limits for requests that need another timeout or connection pool. */
export interface RequestLimits {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly pool?: 'request' | 'urgent';
}

/** How a write is made. */
interface WriteOptions {
  /** The server computes the result but stores nothing. */
  readonly dryRun?: boolean;
  /** Who is named as the writer; Reroll itself by default. */
  readonly fieldManager?: string;
}

export interface PatchOptions extends RequestLimits, WriteOptions {
  /** `strategic` for built-in kinds only: custom resources reject it with 415. */
  readonly type: 'strategic' | 'merge';
  readonly subresource?: string;
  /** Return the whole object instead of only its metadata. */
  readonly whole?: boolean;
}

export interface DeleteOptions extends RequestLimits {
  /** Delete only the object with this uid; the server answers 409 for another. */
  readonly uid?: string;
  /** Delete only this version; the server answers 409 for another. */
  readonly resourceVersion?: string;
  readonly propagationPolicy: 'Foreground' | 'Background' | 'Orphan';
}

const patchTypes: Readonly<Record<PatchOptions['type'], string>> = {
  strategic: 'application/strategic-merge-patch+json',
  merge: 'application/merge-patch+json',
};

/** Keeps the answer small; a server or proxy that does not support it returns the whole object. */
const metadataOnly = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';

const metadataOnlyList = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

/** Reads an object. @throws NotFoundError, ForbiddenError and the other KubeErrors, like all functions in this file. */
export async function getObject(
  client: KubeClient,
  resource: Resource,
  namespace: string | undefined,
  name: string,
  limits: RequestLimits = {},
): Promise<KubeObject> {
  const answer = await client.request({ ...limits, method: 'GET', path: resourcePath(resource, namespace, name) });
  return parse(kubeObject, answer, resource);
}

/** Reads an object's metadata, without its content. */
export async function getMetadata(
  client: KubeClient,
  resource: Resource,
  namespace: string | undefined,
  name: string,
  limits: RequestLimits = {},
): Promise<PartialObjectMetadata> {
  const path = resourcePath(resource, namespace, name);
  const answer = await client.request({ ...limits, method: 'GET', path, accept: metadataOnly });
  return { metadata: parse(kubeObject, answer, resource).metadata };
}

/**
 * Reads an object as it was at `resourceVersion`; undefined if it did not exist. API servers keep five minutes of
 * history.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list
 * @throws GoneError if the version is too old
 */
export async function getObjectAt(
  client: KubeClient,
  resource: Resource,
  namespace: string | undefined,
  name: string,
  resourceVersion: string,
  limits: RequestLimits = {},
): Promise<KubeObject | undefined> {
  const query = { fieldSelector: `metadata.name=${name}`, resourceVersion, resourceVersionMatch: 'Exact' };
  const path = resourcePath(resource, namespace);
  return parse(kubeList, await client.request({ ...limits, method: 'GET', path, query }), resource).items?.[0];
}

/**
 * The newest version of a resource, read from etcd and not from a cache. The answer contains one object at most. Where
 * a Role grants one name alone, `fieldSelector` must select it.
 */
export async function newestVersion(
  client: KubeClient,
  resource: Resource,
  namespace: string | undefined,
  { fieldSelector, ...limits }: RequestLimits & Pick<ListOptions, 'fieldSelector'> = {},
): Promise<string> {
  const path = resourcePath(resource, namespace);
  const answer = await client.request({
    ...limits,
    method: 'GET',
    path,
    query: { limit: '1', fieldSelector },
    accept: metadataOnlyList,
  });
  return parse(versionedList, answer, resource).metadata.resourceVersion;
}

export interface CreateOptions extends RequestLimits, WriteOptions {}

function writeQuery(dryRun = false, manager: string = ownFieldManager): Readonly<Record<string, string>> {
  return { fieldManager: manager, ...(dryRun && { dryRun: 'All' }) };
}

/** @throws AlreadyExistsError */
export async function createObject(
  client: KubeClient,
  resource: Resource,
  namespace: string | undefined,
  body: object,
  { dryRun, fieldManager, ...limits }: CreateOptions = {},
): Promise<KubeObject> {
  const path = resourcePath(resource, namespace);
  const query = writeQuery(dryRun, fieldManager);
  return parse(kubeObject, await client.request({ ...limits, method: 'POST', path, query, body }), resource);
}

/** Replaces an object; if `body` has a `metadata.resourceVersion`, only that version. @throws ConflictError */
export async function updateObject(
  client: KubeClient,
  resource: Resource,
  namespace: string | undefined,
  name: string,
  body: object,
  limits: RequestLimits = {},
): Promise<KubeObject> {
  const path = resourcePath(resource, namespace, name);
  return parse(
    kubeObject,
    await client.request({ ...limits, method: 'PUT', path, query: writeQuery(), body }),
    resource,
  );
}

/**
 * Patches an object. With `metadata.resourceVersion` in a merge patch, or a `test` of it in a JSON patch, only that
 * version is patched.
 * @throws ConflictError
 */
export async function patchObject(
  client: KubeClient,
  resource: Resource,
  namespace: string | undefined,
  name: string,
  patch: object,
  { type, subresource, dryRun, fieldManager, whole = false, ...limits }: PatchOptions,
): Promise<KubeObject> {
  const answer = await client.request({
    ...limits,
    method: 'PATCH',
    path: resourcePath(resource, namespace, name, subresource),
    query: writeQuery(dryRun, fieldManager),
    body: patch,
    contentType: patchTypes[type],
    ...(!whole && { accept: metadataOnly }),
  });
  const object = parse(kubeObject, answer, resource);
  return whole ? object : { metadata: object.metadata };
}

export interface ApplyOptions extends RequestLimits {
  /** Owns the applied fields, and only those. */
  readonly fieldManager: string;
}

/**
 * Server-side apply: sets the fields in `body`, takes them over from other owners, and leaves all other fields alone.
 * `body` names its apiVersion and kind. With `metadata.resourceVersion`, only that version is written; with
 * `metadata.uid`, a deleted object is not recreated.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/
 * @throws ConflictError
 */
export async function applyObject(
  client: KubeClient,
  resource: Resource,
  namespace: string | undefined,
  name: string,
  body: object,
  { fieldManager: manager, ...limits }: ApplyOptions,
): Promise<KubeObject> {
  const answer = await client.request({
    ...limits,
    method: 'PATCH',
    path: resourcePath(resource, namespace, name),
    query: { fieldManager: manager, force: 'true' },
    body,
    contentType: 'application/apply-patch+yaml',
  });
  return parse(kubeObject, answer, resource);
}

/** Resolves when the server has accepted the deletion; finalizers may keep the object longer. */
export async function deleteObject(
  client: KubeClient,
  resource: Resource,
  namespace: string | undefined,
  name: string,
  { uid, resourceVersion, propagationPolicy, ...limits }: DeleteOptions,
): Promise<void> {
  const preconditions = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) };
  await client.request({
    ...limits,
    method: 'DELETE',
    path: resourcePath(resource, namespace, name),
    body: { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy, preconditions },
  });
}

export interface ListOptions extends RequestLimits {
  readonly labelSelector?: string;
  readonly fieldSelector?: string | undefined;
  /** Ask for the metadata alone. A server that does not know this returns whole objects. */
  readonly metadataOnly?: boolean;
  /** The number of objects of one answer; default: all in one. */
  readonly pageSize?: number;
}

/** A list, held in memory: only for lists that are known to be small. Use a Reflector otherwise. */
export async function listObjects(
  client: KubeClient,
  resource: Resource,
  namespace?: string,
  options: ListOptions = {},
): Promise<readonly KubeObject[]> {
  const found: KubeObject[] = [];
  for await (const page of listPages(client, resource, namespace, options)) found.push(...page);
  return found;
}

/** The pages of a list, one after the other, so that no more than one need be held. */
export async function* listPages(
  client: KubeClient,
  resource: Resource,
  namespace?: string,
  { labelSelector, fieldSelector, metadataOnly = false, pageSize, ...limits }: ListOptions = {},
): AsyncGenerator<readonly KubeObject[]> {
  const path = resourcePath(resource, namespace);
  const limit = pageSize === undefined ? undefined : String(pageSize);
  let next: string | undefined;
  do {
    const answer = await client.request({
      ...{ ...limits, method: 'GET', path },
      query: { labelSelector, fieldSelector, limit, continue: next },
      ...(metadataOnly && { accept: metadataOnlyList }),
    });
    const { items, metadata } = parse(kubeList, answer, resource);
    yield items ?? [];
    next = metadata?.continue === '' ? undefined : metadata?.continue;
  } while (next !== undefined);
}

function parse<T>(schema: z.ZodType<T>, answer: unknown, resource: Resource): T {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues[0]?.path.join('.') ?? '';
  throw new ProtocolError(
    `the answer about ${resourceName(resource)} is not a Kubernetes object: wrong or missing ${where}`,
  );
}
