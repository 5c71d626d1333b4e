import type { JsonObject } from './json';
import type { KubeObject } from './objects';
import { encodeProtobuf, encodeProtobufWatchEvent, isProtobufKind } from './protobuf-encode';
import { apiVersionOf, type ResourceKind } from './resources';
import { notAcceptable } from './status';
import { tableOf, type TableRequest } from './table';

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

export type ListMeta = {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
};

/** An encoding of objects, chosen by content negotiation. */
export interface Representation {
  readonly contentType: string;
  readonly watchContentType: string;
  object(object: KubeObject): Buffer;
  list(objects: readonly KubeObject[], metadata: ListMeta): Buffer;
  /** `first` is true for the first event of a stream: only then does a Table describe its columns. */
  watchEvent(type: WatchEventType, object: KubeObject, first: boolean): Buffer;
  /** Encodes a value that is not an object of the kind: a Status, a Scale. */
  other(value: JsonObject): Buffer;
  errorEvent(status: JsonObject): Buffer;
  /** The encoding of error answers, if it differs from this one. */
  readonly refusals?: Pick<Representation, 'contentType' | 'other'>;
}

/** Objects never change in place, so each is encoded as JSON only once for all lists and watches. */
const bodies = new WeakMap<KubeObject, string>();

/** JSON without kind and apiVersion, as for list items of a built-in kind. */
function itemJson(object: KubeObject): string {
  let body = bodies.get(object);
  if (body === undefined) {
    body = JSON.stringify({ ...object, kind: undefined, apiVersion: undefined });
    bodies.set(object, body);
  }
  return body;
}

function objectJson(object: KubeObject): string {
  return `{"kind":"${object.kind}","apiVersion":"${object.apiVersion}",${itemJson(object).slice(1)}`;
}

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');
const line = (type: WatchEventType, object: string): Buffer => bytes(`{"type":"${type}","object":${object}}\n`);
const jsonErrors = {
  contentType: 'application/json',
  watchContentType: 'application/json',
  other: (value: JsonObject) => bytes(JSON.stringify(value)),
  errorEvent: (status: JsonObject) => line('ERROR', JSON.stringify(status)),
};

export const plainJson: Representation = {
  ...jsonErrors,
  object: (object) => bytes(`${objectJson(object)}\n`),
  list: () => bytes(''),
  watchEvent: (type, object) => line(type, objectJson(object)),
};

function json(kind: ResourceKind): Representation {
  return {
    ...plainJson,
    list(objects, metadata) {
      const items = objects.map(kind.custom ? objectJson : itemJson).join(',');
      const head = `{"kind":"${kind.kind}List","apiVersion":"${apiVersionOf(kind)}","metadata":${JSON.stringify(metadata)}`;
      return bytes(`${head},"items":[${items}]}\n`);
    },
  };
}

function partialOf(object: KubeObject): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
}

const partialJson: Representation = {
  ...jsonErrors,
  object: (object) => bytes(JSON.stringify(partialOf(object))),
  list: (objects, metadata) =>
    bytes(
      JSON.stringify({
        kind: 'PartialObjectMetadataList',
        apiVersion: 'meta.k8s.io/v1',
        metadata,
        items: objects.map(partialOf),
      }),
    ),
  watchEvent: (type, object) => line(type, JSON.stringify(partialOf(object))),
};

const protobufErrors = {
  contentType: 'application/vnd.kubernetes.protobuf',
  watchContentType: 'application/vnd.kubernetes.protobuf;stream=watch',
  other: (value: JsonObject) => encodeProtobuf('Status', value),
  errorEvent: (status: JsonObject) => encodeProtobufWatchEvent('ERROR', encodeProtobuf('Status', status)),
};

const partialProtobuf: Representation = {
  ...protobufErrors,
  // A Status cannot be reduced to its metadata, so errors ignore the Accept clause.
  refusals: plainJson,
  object: (object) => encodeProtobuf('PartialObjectMetadata', partialOf(object)),
  list: (objects, metadata) =>
    encodeProtobuf('PartialObjectMetadataList', {
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata,
      items: objects.map(partialOf),
    }),
  watchEvent: (type, object) =>
    encodeProtobufWatchEvent(type, encodeProtobuf('PartialObjectMetadata', partialOf(object))),
};

function tableJson(kind: ResourceKind, request: TableRequest): Representation {
  return {
    ...jsonErrors,
    object: (object) =>
      bytes(JSON.stringify(tableOf(kind, [object], { resourceVersion: object.metadata.resourceVersion }, request))),
    list: (objects, metadata) => bytes(JSON.stringify(tableOf(kind, objects, metadata, request))),
    watchEvent(type, object, first) {
      const metadata = { resourceVersion: object.metadata.resourceVersion };
      const table = tableOf(kind, type === 'BOOKMARK' ? [] : [object], metadata, request);
      return line(type, JSON.stringify(first ? table : { ...table, columnDefinitions: null }));
    },
  };
}

function protobuf(kind: ResourceKind): Representation {
  return {
    ...protobufErrors,
    object: (object) => encodeProtobuf(kind.kind, object),
    list: (objects, metadata) =>
      encodeProtobuf(`${kind.kind}List`, {
        kind: `${kind.kind}List`,
        apiVersion: apiVersionOf(kind),
        metadata,
        items: objects,
      }),
    watchEvent: (type, object) => encodeProtobufWatchEvent(type, encodeProtobuf(kind.kind, object)),
  };
}

/**
 * Chooses a representation by the Accept header. The first clause that can be served wins.
 *
 * @throws StatusError 406 if none can be served.
 */
export function negotiate(accept: string | undefined, kind: ResourceKind, table: TableRequest): Representation {
  for (const clause of parseAccept(accept)) {
    const found = represent(clause, kind, table);
    if (found !== undefined) return found;
  }
  throw notAcceptable(['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']);
}

interface AcceptClause {
  readonly mediaType: string;
  readonly parameters: ReadonlyMap<string, string>;
}

function represent(
  { mediaType, parameters }: AcceptClause,
  kind: ResourceKind,
  table: TableRequest,
): Representation | undefined {
  switch (mediaType) {
    case 'application/vnd.kubernetes.protobuf':
      if (isPartial(parameters)) return partialProtobuf;
      return !kind.custom && isProtobufKind(kind.kind) && !parameters.has('as') ? protobuf(kind) : undefined;
    case 'application/json':
    case 'application/*':
    case '*/*':
      if (!parameters.has('as')) return json(kind);
      if (isPartial(parameters)) return partialJson;
      if (parameters.get('g') !== 'meta.k8s.io' || parameters.get('v') !== 'v1') return undefined;
      return parameters.get('as') === 'Table' ? tableJson(kind, table) : undefined;
    default:
      return undefined;
  }
}

function isPartial(parameters: AcceptClause['parameters']): boolean {
  const isMeta = parameters.get('g') === 'meta.k8s.io' && parameters.get('v') === 'v1';
  return isMeta && parameters.get('as')?.startsWith('PartialObjectMetadata') === true;
}

function parseAccept(accept: string | undefined): readonly AcceptClause[] {
  return (accept === undefined || accept.trim() === '' ? '*/*' : accept).split(',').map((clause) => {
    const [mediaType = '', ...parameters] = clause.split(';').map((part) => part.trim());
    const pairs = parameters.map((parameter): [string, string] => {
      const [name = '', value = ''] = parameter.split('=');
      return [name.trim(), value.trim()];
    });
    return { mediaType: mediaType.toLowerCase(), parameters: new Map(pairs) };
  });
}
