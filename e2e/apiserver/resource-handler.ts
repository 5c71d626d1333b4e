import type { HttpRequest } from '../../shared/kube/transport';
import { isTrue } from './watch';
import type { ApiServer } from './api-server';
import { objectAt, stringAt, withValueAt, type JsonObject } from './json';
import { listPage, parseListOptions } from './list';
import { managerOf } from './managed-fields';
import { type KubeObject, timestamp } from './objects';
import { applyMediaType, parseObject, readConfiguration, readPatch } from './patch';
import type { Candidate, WriteContext } from './registry';
import type { PropagationPolicy } from './stored-object';
import { decodeProtobuf } from './protobuf-decode';
import { isProtobufKind } from './protobuf-encode';
import type { ListMeta } from './representation';
import { apiVersionOf } from './resources';
import type { Route } from './routes';
import { scaleOf, withScale } from './scale';
import { applyConfiguration, fieldsOfApplied } from './server-side-apply';
import { badRequest, methodNotAllowed, StatusError, successStatus, unsupportedMediaType } from './status';
import { storeKey } from './store';

/** The answer to a request before it is encoded. */
export type ResourceAnswer = { readonly code: number; readonly warnings: readonly string[] } & (
  | { readonly object: KubeObject }
  | { readonly list: readonly KubeObject[]; readonly metadata: ListMeta }
  | { readonly other: JsonObject }
);

type Server = Pick<ApiServer, 'registry' | 'store' | 'clock'>;

interface Call {
  readonly server: Server;
  readonly route: Route;
  readonly request: HttpRequest;
  readonly query: URLSearchParams;
  readonly context: WriteContext;
}

/**
 * Handles every verb except watch.
 *
 * @throws StatusError for every failure that the real server answers with a Status.
 */
export async function handleResource(
  server: Server,
  route: Route,
  request: HttpRequest,
  query: URLSearchParams,
  user: string,
): Promise<ResourceAnswer> {
  const context: WriteContext = {
    user,
    manager: managerOf(query.get('fieldManager'), request.headers['user-agent']),
    verb: route.verb,
    dryRun: query.getAll('dryRun').includes('All'),
    subresource: route.subresource,
    warnings: [],
  };
  const call = { server, route, request, query, context };
  switch (route.verb) {
    case 'get':
      return answered(call, server.registry.get(route.kind, route.namespace, route.name));
    case 'list': {
      const page = listPage(server.store, route.kind, route.namespace, parseListOptions(route.kind, query));
      return { code: 200, warnings: [], list: page.objects, metadata: page.metadata };
    }
    case 'create':
      return answered(call, await server.registry.create(context, route.kind, route.namespace, bodyOf(call)), 201);
    case 'update': {
      const body = bodyOf(call);
      return await update(call, () => body);
    }
    case 'patch':
      return await patch(call);
    case 'delete':
      return await remove(call);
    case 'deletecollection':
      return await removeAll(call);
    case 'watch':
      throw methodNotAllowed();
  }
}

/** Applies a change to the object, or to its Scale if the path names that. */
async function update(call: Call, change: (current: JsonObject) => JsonObject): Promise<ResourceAnswer> {
  const { server, route, context } = call;
  const onWhole = (current: KubeObject): Candidate => ({ object: change(current) });
  const onScale = (current: KubeObject): Candidate => ({ object: withScale(current, change(scaleOf(current))) });
  const apply = route.subresource === 'scale' ? onScale : onWhole;
  return answered(call, await server.registry.update(context, route.kind, route.namespace, route.name, apply));
}

async function patch(call: Call): Promise<ResourceAnswer> {
  const { route, request } = call;
  const contentType = mediaTypeOf(request);
  if (contentType === applyMediaType) return await serverSideApply(call);
  const change = readPatch(route.kind, contentType, request.body ?? Buffer.alloc(0));
  return await update(call, change);
}

async function serverSideApply(call: Call): Promise<ResourceAnswer> {
  const { server, route, request, query, context } = call;
  const { registry, store, clock } = server;
  if (query.get('fieldManager') === null) {
    const message = 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch';
    throw new StatusError(422, 'Invalid', message, { group: 'meta.k8s.io', kind: 'PatchOptions' });
  }
  const configuration = readConfiguration(request.body ?? Buffer.alloc(0));
  const options = { force: isTrue(query.get('force')), time: timestamp(clock.nowMs()), subresource: route.subresource };
  if (store.get(route.kind, storeKey(route.namespace, route.name)) === undefined) {
    const named = withValueAt(configuration, ['metadata', 'name'], route.name);
    const managedFields = fieldsOfApplied(named, context.manager, apiVersionOf(route.kind), options);
    const created = await registry.create(context, route.kind, route.namespace, named, managedFields);
    return answered(call, created, 201);
  }
  const outcome = await registry.update(context, route.kind, route.namespace, route.name, (current) =>
    applyConfiguration(current, configuration, context.manager, options),
  );
  return answered(call, outcome);
}

async function remove(call: Call): Promise<ResourceAnswer> {
  const { server, route, context } = call;
  const options = deleteOptions(call);
  const { object, gone } = await server.registry.delete(context, route.kind, route.namespace, route.name, options);
  if (!gone || route.kind.kind === 'Pod' || route.kind.kind === 'ServiceAccount') return answered(call, object);
  const { name, uid } = object.metadata;
  return { code: 200, warnings: context.warnings, other: successStatus(route.kind, name, uid) };
}

async function removeAll(call: Call): Promise<ResourceAnswer> {
  const { server, route, query, context } = call;
  const { objects, metadata } = listPage(
    server.store,
    route.kind,
    route.namespace,
    parseListOptions(route.kind, query),
  );
  const options = { propagationPolicy: deleteOptions(call).propagationPolicy };
  for (const object of objects) {
    try {
      await server.registry.delete(context, route.kind, object.metadata.namespace, object.metadata.name, options);
    } catch (error) {
      // It is already gone, which is what was asked for.
      if (!(error instanceof StatusError && error.code === 404)) throw error;
    }
  }
  return { code: 200, warnings: context.warnings, list: objects, metadata };
}

function deleteOptions({ query, request }: Call): {
  readonly propagationPolicy: PropagationPolicy | undefined;
  readonly preconditions: { readonly uid: string | undefined; readonly resourceVersion: string | undefined };
} {
  const body = request.body === undefined || request.body.length === 0 ? {} : parseObject(request.body);
  const policy = stringAt(body, 'propagationPolicy') ?? query.get('propagationPolicy') ?? undefined;
  if (policy !== undefined && policy !== 'Background' && policy !== 'Foreground' && policy !== 'Orphan') {
    throw badRequest(`propagationPolicy: Unsupported value: "${policy}"`);
  }
  const preconditions = objectAt(body, 'preconditions');
  return {
    propagationPolicy: policy,
    preconditions: { uid: stringAt(preconditions, 'uid'), resourceVersion: stringAt(preconditions, 'resourceVersion') },
  };
}

function answered({ route, context }: Call, object: KubeObject, code = 200): ResourceAnswer {
  if (route.subresource === 'scale') return { code, warnings: context.warnings, other: scaleOf(object) };
  return { code, warnings: context.warnings, object };
}

/** The object in the body of a create or an update. */
function bodyOf({ route, request }: Call): JsonObject {
  const body = request.body ?? Buffer.alloc(0);
  switch (mediaTypeOf(request)) {
    case '':
    case 'application/json':
      return parseObject(body);
    case 'application/vnd.kubernetes.protobuf':
      if (isProtobufKind(route.kind.kind) && route.subresource !== 'scale')
        return decodeProtobuf(route.kind.kind, body);
      break;
    default:
      break;
  }
  throw unsupportedMediaType(['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']);
}

function mediaTypeOf({ headers }: HttpRequest): string {
  const header = headers['content-type'] ?? '';
  return (header.split(';')[0] ?? '').trim().toLowerCase();
}
