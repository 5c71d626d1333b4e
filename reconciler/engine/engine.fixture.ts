import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import { fieldAt, isObject, objectOf, textOf, type JsonObject } from '../../shared/domain/kubernetes/json-value';
import { unlimited } from '../../shared/domain/gate-settings/pace-settings';
import { withoutStages } from '../../shared/domain/gate-settings/stage-settings';
import { everything } from '../../shared/domain/kubernetes/selector';
import { at, digester, policySettings } from '../../shared/domain/plan/records.fixture';
import { bodyOf, clientWorld, zeroRandom } from '../../shared/kube/client/client.fixture';
import type { HttpRequest } from '../../shared/kube/transport';
import { FakeBody, refusal, type Reply } from '../../shared/kube/transport/fake-transport';
import { Metrics } from '../metrics/metrics';
import type { EngineSettings } from '../options/engine-settings';
import { Engine } from './engine';
import type { EngineDeps } from './engine-deps';

export const leasePath = '/apis/coordination.k8s.io/v1/namespaces/reroll/leases/reroll';

export const defaults: EngineSettings = {
  ...{
    policy: policySettings,
    annotationKeys: defaultAnnotationKeys,
    strategy: 'annotations',
    gates: undefined,
    pace: unlimited,
    stages: withoutStages,
    rollback: false,
  },
  ...{ reloadOnCreate: false, reloadOnDelete: false, ignoredSourceKind: undefined, csi: false },
  ...{ namespaces: [], namespacesToIgnore: [], namespaceSelector: everything, sourceSelector: everything },
  ...{ settleMs: 1_000, settleMaxMs: 10_000, foldRollouts: false },
  ...{
    ownNamespace: 'reroll',
    leaseName: 'reroll',
    replicated: false,
    dryRun: false,
    history: false,
    identity: 'reroll-0',
  },
};

const collectionPath = /^(\/api\/v1|\/apis\/[^/]+\/v1)(?:\/namespaces\/([^/]+))?\/([a-z]+)$/;
const objectPath = /^(\/api\/v1|\/apis\/[^/]+\/v1)(?:\/namespaces\/([^/]+))?\/([a-z]+)\/([^/]+)$/;

/** An engine that asks again at once and without end would keep the clock from going on. */
const mostRequests = 2_000;

/** An API server that stores, lists and streams what it gets. It checks only the version of a write. */
class ScriptedServer {
  readonly objects = new Map<string, JsonObject>();
  readonly #watches: { readonly path: string; readonly body: FakeBody }[] = [];
  #version = 100;

  /** Writes an object and shows it in the watches. */
  put(path: string, object: JsonObject, version = ++this.#version): JsonObject {
    const type = this.objects.has(path) ? 'MODIFIED' : 'ADDED';
    const own = { uid: `uid of ${path}`, creationTimestamp: new Date(at(-3600)).toISOString() };
    const metadata = { ...own, ...objectOf(object['metadata']), resourceVersion: String(version) };
    const stored = { ...object, metadata };
    this.objects.set(path, stored);
    this.#show(path, type, stored);
    return stored;
  }

  remove(path: string): Reply {
    const object = this.objects.get(path);
    this.objects.delete(path);
    const metadata = { ...objectOf(object?.['metadata']), resourceVersion: String(++this.#version) };
    this.#show(path, 'DELETED', { ...object, metadata });
    return { body: {} };
  }

  answer(request: HttpRequest): Reply {
    const { method } = request;
    const { pathname: path, searchParams } = new URL(request.path, 'https://api');
    const sent = objectOf(bodyOf(request));
    const stored = this.objects.get(path);
    const created = `${path}/${textOf(fieldAt(sent, ['metadata', 'name'])) ?? ''}`;
    if (method === 'POST' && this.objects.has(created)) return refusal(409, 'AlreadyExists');
    if (method === 'POST') return { body: this.put(created, sent) };
    if (collectionPath.test(path)) return this.#collection(path, searchParams);
    if (!stored) return refusal(404, 'NotFound');
    if (method === 'GET') return { body: stored };
    if (method === 'DELETE') return this.remove(path);
    const version = fieldAt(sent, ['metadata', 'resourceVersion']);
    const isCurrent = version === undefined || version === fieldAt(stored, ['metadata', 'resourceVersion']);
    if (!isCurrent) return refusal(409, 'Conflict');
    return { body: this.put(path, method === 'PUT' ? sent : merged(stored, sent)) };
  }

  #collection(path: string, query: URLSearchParams): Reply {
    if (query.has('sendInitialEvents')) return refusal(422, 'Invalid', 'sendInitialEvents: Forbidden');
    if (query.has('watch')) {
      const body = new FakeBody();
      this.#watches.push({ path, body });
      return { body };
    }
    const name = query.get('fieldSelector')?.replace('metadata.name=', '');
    const found = [...this.objects].filter(([each]) => isIn(path, each) && (name === undefined || each.endsWith(name)));
    // No object has labels.
    const items = query.has('labelSelector') ? [] : found.map(([, object]) => object);
    return { body: { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: String(this.#version) }, items } };
  }

  #show(path: string, type: string, object: JsonObject): void {
    for (const watch of this.#watches) if (isIn(watch.path, path)) watch.body.line({ type, object });
  }
}

/** An engine that runs against a ScriptedServer, on a clock that the test controls. */
export class EngineWorld {
  readonly server = new ScriptedServer();
  readonly metrics = new Metrics({ countByNamespace: false });
  readonly engine: Engine;
  /** Requests to refuse, matched against text such as `GET /api/v1/secrets?limit=500`. */
  refuses: RegExp | undefined;
  /** How often the engine called `onListed`. */
  listed = 0;
  #held: { readonly requests: RegExp; readonly released: Promise<void> } | undefined;
  readonly #network = clientWorld(async (request) => {
    const text = textOfRequest(request);
    if (this.#held?.requests.test(text) === true) await this.#held.released;
    if (this.#network.transport.requests.length > mostRequests) return refusal(500, 'InternalError');
    if (this.refuses?.test(text) === true) return refusal(403, 'Forbidden', rbacMessage);
    return this.server.answer(request);
  });
  readonly clock = this.#network.clock;

  constructor(settings: Partial<EngineSettings> = {}, deps: Partial<EngineDeps> = {}) {
    const { client, clock, logger } = this.#network;
    const onListed = (): void => void (this.listed += 1);
    const all = { ...{ client, clock, logger, random: zeroRandom, metrics: this.metrics }, onListed, ...deps };
    this.engine = new Engine(all, { ...defaults, ...settings }, digester);
  }

  get messages(): readonly string[] {
    return this.#network.logger.lines.map(({ message }) => message);
  }

  /** All requests, for example `GET /api/v1/secrets?limit=500`. */
  get requests(): readonly string[] {
    return this.#network.transport.requests.map(textOfRequest);
  }

  /** What the engine wrote or tried to write, without the Lease, for example `PATCH deployments/web`. */
  get writes(): readonly string[] {
    const writes = this.requests.filter((text) => !text.startsWith('GET') && !text.includes('/leases'));
    return writes.map((text) => text.replace(/\/apis?\/.*?\/(?:namespaces\/[^/]+\/)?([a-z]+(\/[^/]+)?)\?.*/, '$1'));
  }

  get openWatches(): number {
    const open = this.#network.transport.requests.filter(({ signal }) => signal?.aborted === false);
    return open.filter(({ path }) => path.includes('watch=true') && !path.includes('sendInitialEvents')).length;
  }

  /** Requests that match get no answer until the returned function is called. */
  hold(requests: RegExp): () => Promise<void> {
    let release = (): void => undefined;
    this.#held = { requests, released: new Promise((resolve) => (release = resolve)) };
    return async () => {
      this.#held = undefined;
      release();
      await this.clock.advance(1_000);
    };
  }

  async start(): Promise<void> {
    this.engine.start();
    await this.clock.advance(5_000);
  }

  async stop(): Promise<void> {
    const stopping = this.engine.stop();
    await this.clock.advance(1_000);
    await stopping;
  }

  /** A counter or gauge, summed over all series that have these labels. */
  async metric(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
    const series = await this.metrics.registry.series(name);
    const counted = series.filter((one) =>
      Object.entries(labels).every(([label, value]) => one.labels[label] === value),
    );
    return counted.reduce((sum, { value }) => sum + value, 0);
  }
}

const rbacMessage =
  'secrets is forbidden: User "reroll" cannot list resource "secrets" in API group "" in the namespace "shop"';

function textOfRequest({ method, path }: HttpRequest): string {
  return `${method} ${path}`;
}

/** Whether an object belongs to a collection of one namespace or of all namespaces. */
function isIn(collection: string, path: string): boolean {
  const [, root, namespace, resource] = collectionPath.exec(collection) ?? [];
  const [, ownRoot, ownNamespace, ownResource] = objectPath.exec(path) ?? [];
  return root === ownRoot && resource === ownResource && (namespace === undefined || namespace === ownNamespace);
}

/** Applies a JSON merge patch. */
function merged(stored: unknown, patch: JsonObject): JsonObject {
  const before = objectOf(stored);
  const after = Object.entries(patch).map(([name, value]) => [
    name,
    isObject(value) ? merged(before[name], value) : value,
  ]);
  const all = Object.entries({ ...before, ...objectOf(Object.fromEntries(after)) });
  return Object.fromEntries(all.filter(([, value]) => value !== null));
}
