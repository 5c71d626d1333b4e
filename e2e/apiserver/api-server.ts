import { requestTarget } from '../../shared/kube/request-target';
import { resourceName } from '../../shared/kube/resource';
import type { HttpRequest, HttpResponse } from '../../shared/kube/transport';
import type { Clock } from '../../shared/runtime/clock';
import type { Random } from '../../shared/runtime/random';
import { accessReviewPath, reviewOwnAccess } from './access-review';
import type { AdmissionHook } from './admission';
import { wholeBody } from './byte-stream';
import { Children } from './children';
import { discover } from './discovery';
import { plainJson, negotiate, type Representation } from './representation';
import type { JsonObject } from './json';
import { parseListOptions } from './list';
import { Quota } from './quota';
import { Rbac } from './rbac';
import { Registry, writeBy } from './registry';
import type { RequestRecord } from './request-log';
import { handleResource, type ResourceAnswer } from './resource-handler';
import { builtInKinds, namespaceKind, type ResourceKind } from './resources';
import { type Route, routeOf } from './routes';
import { selectedName } from './selectors';
import { noSuchResource, StatusError } from './status';
import { Store, type WriteRecord } from './store';
import { isTrue, openWatch, parseWatchRequest, type WatchDependencies, type WatchListSupport } from './watch';
import { WatchCache } from './watch-cache';

export interface ApiServerOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Kinds to serve besides the built-in ones. */
  readonly customKinds?: readonly ResourceKind[];
  readonly admission?: readonly AdmissionHook[];
  /** How many writes of one kind a watch may be behind before it gets 410. */
  readonly watchWindow?: number;
  readonly watchList?: WatchListSupport;
  readonly bookmarkIntervalMs?: number;
}

const initialNamespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** An in-memory kube-apiserver. It sends the same bytes on the wire, but the test controls time and randomness. */
export class ApiServer {
  readonly clock: Clock;
  readonly store: Store;
  readonly children: Children;
  readonly registry: Registry;
  readonly rbac = new Rbac();
  readonly quota = new Quota();
  readonly watchCache: WatchCache;
  #kinds: readonly ResourceKind[];
  readonly #watch: WatchDependencies;
  readonly #requests: RequestRecord[] = [];

  constructor(options: ApiServerOptions) {
    const { clock, random, admission = [], watchWindow = 1000 } = options;
    this.clock = clock;
    this.#kinds = [...builtInKinds, ...(options.customKinds ?? [])];
    this.store = new Store(clock);
    this.children = new Children(this.store);
    this.watchCache = new WatchCache(this.store, watchWindow);
    this.registry = new Registry({ store: this.store, clock, random, quota: this.quota, admission });
    const { watchList = 'supported', bookmarkIntervalMs = 60_000 } = options;
    this.#watch = { store: this.store, cache: this.watchCache, clock, random, bookmarkIntervalMs, watchList };
    for (const name of initialNamespaces) {
      this.registry.seed(writeBy('system:apiserver', 'kube-apiserver', 'create'), namespaceKind, undefined, {
        metadata: { name },
      });
    }
  }

  /**
   * Answers one request of an authenticated user. A StatusError becomes the answer. Any other error rejects.
   *
   * `connectionId` is only used in the request log.
   */
  async handle(received: HttpRequest, user: string, connectionId?: number): Promise<HttpResponse> {
    const response = await this.#answer(received, user, connectionId);
    return { ...response, headers: { ...response.headers, date: new Date(this.clock.nowMs()).toUTCString() } };
  }

  async #answer(received: HttpRequest, user: string, connectionId: number | undefined): Promise<HttpResponse> {
    const request = { ...received, headers: lowerCased(received.headers) };
    const url = new URL(request.path, 'https://kubernetes.default.svc');
    const known = discover(this.kinds, url.pathname);
    if (known !== undefined && request.method === 'GET') {
      this.#log(request, user, connectionId, undefined, url.pathname, 200);
      return typeof known === 'string' ? answer(200, 'text/plain', Buffer.from(known)) : this.#json(200, known);
    }
    let route: Route | undefined;
    let representation: Representation = plainJson;
    try {
      if (url.pathname === accessReviewPath && request.method === 'POST') {
        const answered = reviewOwnAccess(this.rbac, user, request.body);
        this.#log(request, user, connectionId, undefined, url.pathname, 201);
        return this.#json(201, answered);
      }
      route = this.#routeOf(request.method, url, user);
      const name = route.name || selectedName(url.searchParams.get('fieldSelector') ?? '');
      this.rbac.check({ user, ...route, name: name ?? '' });
      representation = negotiate(request.headers['accept'], route.kind, {
        nowMs: this.clock.nowMs(),
        wholeObjects: url.searchParams.get('includeObject') === 'Object',
      });
      if (route.verb === 'watch') return this.#openWatch(request, user, connectionId, route, url, representation);
      const result = await handleResource(this, route, request, url.searchParams, user);
      this.#log(request, user, connectionId, route, url.pathname, result.code);
      return encode(result, representation);
    } catch (error) {
      const failure = error instanceof StatusError ? error : undefined;
      if (failure === undefined) throw error;
      this.#log(request, user, connectionId, route, url.pathname, failure.code);
      return failed(failure, representation);
    }
  }

  get kinds(): readonly ResourceKind[] {
    return this.#kinds;
  }

  /** Serves one more kind from now on, as if its CRD had been established. */
  serve(kind: ResourceKind): void {
    this.#kinds = [...this.#kinds, kind];
  }

  /** Acts as if the kind's CRD had been deleted: its objects are removed, its watches end, and its paths answer 404. */
  stopServing(kind: ResourceKind): void {
    const context = writeBy('system:apiserver', 'kube-apiserver', 'delete');
    for (const object of [...this.store.list(kind)]) this.store.remove(kind, object, context);
    this.#kinds = this.#kinds.filter((each) => each !== kind);
    this.watchCache.end(kind);
  }

  /** Every write since the start, in order. */
  history(): readonly WriteRecord[] {
    return this.store.history;
  }

  /** Every request that was answered, in order. */
  requests(): readonly RequestRecord[] {
    return this.#requests;
  }

  /** Compacts the history as etcd does: from now on, older watches and continue tokens get 410. */
  compact(): void {
    this.store.compact();
  }

  /** Acts as if etcd had been restored from a backup made at `revision`. The server restarts, so all watches end. */
  restore(revision: number): void {
    this.store.restore(revision);
    this.children.restored(this.#kinds);
    this.watchCache.end();
  }

  kindOf(kind: string): ResourceKind {
    const found = this.kinds.find((row) => row.kind === kind);
    if (found === undefined) throw noSuchResource();
    return found;
  }

  /** Who has no right to a resource is refused before the server looks whether it has it. */
  #routeOf(method: HttpRequest['method'], { pathname, searchParams }: URL, user: string): Route {
    const isWatch = isTrue(searchParams.get('watch'));
    try {
      return routeOf(this.kinds, method, pathname, isWatch);
    } catch (error) {
      const { verb, group, resource, namespace, name = '' } = requestTarget(method, pathname, isWatch);
      // Everybody may ask what is served.
      if (resource === pathname) throw error;
      const [plural = '', subresource] = resource.split('/');
      this.rbac.check({ user, verb, kind: { group, version: '', plural }, namespace, name, subresource });
      throw error;
    }
  }

  #openWatch(
    request: HttpRequest,
    user: string,
    connectionId: number | undefined,
    route: Route,
    url: URL,
    representation: Representation,
  ): HttpResponse {
    const options = parseListOptions(route.kind, url.searchParams);
    const watch = parseWatchRequest(this.#watch, route.kind, route.namespace, options, url.searchParams);
    const body = openWatch(this.#watch, watch, representation);
    this.#log(request, user, connectionId, route, url.pathname, 200);
    return { status: 200, headers: headersOf(representation.watchContentType), body };
  }

  #json(status: number, value: JsonObject): HttpResponse {
    return answer(status, 'application/json', Buffer.from(JSON.stringify(value)));
  }

  #log(
    { headers, path }: HttpRequest,
    user: string,
    connectionId: number | undefined,
    route: Route | undefined,
    pathname: string,
    code: number,
  ): void {
    this.#requests.push({
      user,
      verb: route?.verb ?? 'other',
      resource: route === undefined ? pathname : resourceName(route.kind),
      path,
      namespace: route?.namespace,
      name: route?.name ?? '',
      subresource: route?.subresource,
      code,
      userAgent: headers['user-agent'],
      connectionId,
      atMs: this.clock.nowMs(),
    });
  }
}

/** HTTP header names are case-insensitive, and clients differ in how they write them. */
function lowerCased(headers: HttpRequest['headers']): HttpRequest['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function encode(result: ResourceAnswer, representation: Representation): HttpResponse {
  const body =
    'list' in result
      ? representation.list(result.list, result.metadata)
      : 'object' in result
        ? representation.object(result.object)
        : representation.other(result.other);
  const response = answer(result.code, representation.contentType, body);
  const [warning] = result.warnings;
  if (warning === undefined) return response;
  const text = result.warnings.map((line) => `299 - ${JSON.stringify(line)}`).join(', ');
  return { ...response, headers: { ...response.headers, warning: text } };
}

function failed(error: StatusError, representation: Representation): HttpResponse {
  const refusals = representation.refusals ?? representation;
  const response = answer(error.code, refusals.contentType, refusals.other(error.toStatus()));
  const seconds = error.details?.retryAfterSeconds;
  if (seconds === undefined) return response;
  return { ...response, headers: { ...response.headers, 'retry-after': String(seconds) } };
}

function answer(status: number, contentType: string, body: Buffer): HttpResponse {
  return {
    status,
    headers: { ...headersOf(contentType), 'content-length': String(body.length) },
    body: wholeBody(body),
  };
}

function headersOf(contentType: string): Readonly<Record<string, string>> {
  return { 'content-type': contentType, 'cache-control': 'no-cache, private' };
}
