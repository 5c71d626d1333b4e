import type { ObjectKey } from '../../domain/kubernetes/object-key';
import { objectKey } from '../../domain/kubernetes/object-key';
import { FakeClock } from '../../runtime/fake-clock';
import type { Random } from '../../runtime/random';
import { RecordingLogger } from '../../runtime/log/recording-logger';
import { KubeClient } from '../client/client';
import type { Credentials } from '../access/credentials';
import type { Decoder } from '../wire/decoder';
import { MalformedObjectError } from '../../domain/kubernetes/malformed-object-error';
import type { Reply } from '../transport/fake-transport';
import { FakeTransport } from '../transport/fake-transport';
import type { ReconnectReason } from '../observers';
import type { ReflectorOptions, ReflectorSink } from './reflector';
import { Reflector } from './reflector';
import { configMaps } from '../resource';
import type { HttpRequest } from '../transport';

/** What the test's decoder keeps of an object. */
export interface Thing {
  readonly key: ObjectKey;
  readonly value: string;
}

interface ThingJson {
  readonly metadata: { readonly namespace: string; readonly name: string; readonly resourceVersion: string };
  readonly value?: unknown;
}

export function thing(name: string, resourceVersion: string, value: unknown = resourceVersion): ThingJson {
  return { metadata: { namespace: 'shop', name, resourceVersion }, value };
}

export const thingDecoder: Decoder<Thing> = {
  accepts: 'json',
  fromJson(object) {
    const { metadata, value } = object as ThingJson;
    const key = objectKey(metadata.namespace, metadata.name);
    if (typeof value !== 'string') {
      throw new MalformedObjectError(`${key} has no value`, { key, resourceVersion: metadata.resourceVersion });
    }
    return { key, uid: metadata.name, resourceVersion: metadata.resourceVersion, object: { key, value } };
  },
};

/** Lists metadata only; the value of an object listed this way is `metadata-only`. */
export const listedDecoder: Decoder<Thing> = {
  ...thingDecoder,
  accepts: 'protobuf',
  metadata: {
    accepts: 'metadata',
    fromJson: (object) => thingDecoder.fromJson({ ...(object as ThingJson), value: 'metadata-only' }),
  },
};

/** Keeps what it receives, and records the calls. */
export class RecordingSink implements ReflectorSink<Thing> {
  readonly objects = new Map<ObjectKey, string>();
  readonly calls: string[] = [];
  fails: (call: string) => boolean = () => false;

  upsert({ key, value }: Thing, origin: 'list' | 'watch'): void {
    this.#record(`${origin} ${key}=${value}`);
    this.objects.set(key, value);
  }

  remove(key: ObjectKey): void {
    this.#record(`remove ${key}`);
    this.objects.delete(key);
  }

  keys(): Iterable<ObjectKey> {
    return this.objects.keys();
  }

  synced(): void {
    this.#record('synced');
  }

  #record(call: string): void {
    this.calls.push(call);
    if (this.fails(call)) throw new Error('a bug in the sink');
  }
}

export function listOf(resourceVersion: string, items: readonly object[], more: object = {}): Reply {
  return { body: { kind: 'ThingList', apiVersion: 'v1', metadata: { resourceVersion, ...more }, items } };
}

export const bookmarkEnd = (resourceVersion: string): object => ({
  type: 'BOOKMARK',
  object: { metadata: { resourceVersion, annotations: { 'k8s.io/initial-events-end': 'true' } } },
});

export function queryOf(request: HttpRequest): URLSearchParams {
  return new URL(request.path, 'https://api').searchParams;
}

export const isWatch = (request: HttpRequest): boolean => queryOf(request).has('watch');

/** The purpose and form of a request: `watch-list metadata`, `list whole`, `watch from 7 whole`. */
export function asked(request: HttpRequest): string {
  const query = queryOf(request);
  const watch = query.has('sendInitialEvents') ? 'watch-list' : `watch from ${query.get('resourceVersion')}`;
  const isPartial = request.headers['accept']?.includes('PartialObjectMetadata') === true;
  return `${isWatch(request) ? watch : 'list'} ${isPartial ? 'metadata' : 'whole'}`;
}

/** A server without `sendInitialEvents`: lists and watches are separate requests. */
export interface PagedServer {
  list(request: HttpRequest, index: number): Reply | Promise<Reply>;
  watch(request: HttpRequest, index: number): Reply | Promise<Reply>;
}

export interface World {
  readonly clock: FakeClock;
  readonly logger: RecordingLogger;
  readonly transport: FakeTransport;
  readonly sink: RecordingSink;
  readonly reflector: Reflector<Thing>;
  readonly reconnects: ReconnectReason[];
  readonly decodeFailures: string[];
  readonly lists: HttpRequest[];
  readonly watches: HttpRequest[];
  readonly refreshes: () => number;
}

export function world(
  handler: (request: HttpRequest, index: number) => Reply | Promise<Reply>,
  options: Partial<ReflectorOptions<Thing>> = {},
  random: Random = { float: () => 0.5, bytes: (length) => Buffer.alloc(length) },
): World {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const lists: HttpRequest[] = [];
  const watches: HttpRequest[] = [];
  const transport = new FakeTransport((request, index) => {
    (isWatch(request) ? watches : lists).push(request);
    return handler(request, index);
  });
  let refreshes = 0;
  const credentials: Credentials = {
    headers: () => Promise.resolve({ authorization: `Bearer ${refreshes}` }),
    refresh: () => {
      refreshes++;
      return Promise.resolve();
    },
  };
  const client = new KubeClient({ transport, credentials, clock, logger, userAgent: 'reroll/test' });
  const sink = new RecordingSink();
  const reconnects: ReconnectReason[] = [];
  const decodeFailures: string[] = [];
  const observer = {
    listed: () => undefined,
    reconnected: (reason: ReconnectReason) => void reconnects.push(reason),
    decodeFailed: (what: string) => void decodeFailures.push(what),
    sinkFailed: () => undefined,
  };
  const reflector = new Reflector(
    { client, clock, random, logger, observer },
    { resource: configMaps, decoder: thingDecoder, sink, ...options },
  );
  return {
    clock,
    logger,
    transport,
    sink,
    reflector,
    reconnects,
    decodeFailures,
    lists,
    watches,
    refreshes: () => refreshes,
  };
}

/** A world whose server refuses to stream lists. */
export function pagedWorld(
  server: PagedServer,
  options: Partial<ReflectorOptions<Thing>> = {},
  random?: Random,
): World {
  const counts = { list: 0, watch: 0 };
  return world(
    (request) => {
      if (queryOf(request).has('sendInitialEvents')) {
        return {
          status: 422,
          body: { kind: 'Status', code: 422, reason: 'Invalid', message: 'sendInitialEvents: Forbidden' },
        };
      }
      return isWatch(request) ? server.watch(request, counts.watch++) : server.list(request, counts.list++);
    },
    options,
    random,
  );
}
