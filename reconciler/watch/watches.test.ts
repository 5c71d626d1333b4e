import { describe, expect, it } from '@jest/globals';
import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import { everything } from '../../shared/domain/kubernetes/selector';
import { ContentDigester } from '../../shared/domain/sources/content-digest';
import { staticCredentials } from '../../shared/kube/access/credentials';
import { KubeClient } from '../../shared/kube/client/client';
import type { ReflectorSink } from '../../shared/kube/list-watch/reflector';
import { FakeBody, FakeTransport, refusal, type Reply } from '../../shared/kube/transport/fake-transport';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import type { WatchesOptions } from './list-watches';
import { Watches } from './watches';

const csiApi = '/apis/secrets-store.csi.x-k8s.io/v1';
const argoApi = '/apis/argoproj.io/v1alpha1';

function later<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = unread;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}

const forbidden =
  'secrets is forbidden: User "reroll" cannot list resource "secrets" in API group "" in the namespace "bank"';

const unread = (): never => {
  throw new Error('every collection is empty');
};

function sinkOf(_namespace: string | undefined, onSynced: () => void): ReflectorSink<unknown> {
  return { upsert: unread, remove: unread, keys: () => [], synced: onSynced };
}

/** Watches against a server whose collections are empty, refused, or not answered yet. */
class World {
  readonly clock = new FakeClock();
  readonly sinks: string[] = [];
  readonly lost: string[] = [];
  /** By path: the answer instead of an empty list. */
  readonly answers = new Map<string, Reply | Promise<Reply>>();
  /** By `/apis/<group>/<version>`: the resources of an add-on. */
  readonly served = new Map<string, readonly string[]>();
  readonly watches: Watches;
  /** The sinks report no complete list, so these are refusals only. */
  refusals = 0;
  readonly #open: FakeBody[] = [];
  readonly #transport = new FakeTransport(({ path }) => this.#answer(path));

  constructor(options: Partial<WatchesOptions> = {}) {
    const { clock } = this;
    const logger = new RecordingLogger();
    const transport = this.#transport;
    const client = new KubeClient({
      transport,
      credentials: staticCredentials({}),
      clock,
      logger,
      userAgent: 'reroll',
    });
    const sinkOf = (what: string) => (): ReflectorSink<unknown> => this.#sink(what);
    this.watches = new Watches({
      deps: { client, clock, random: { float: () => 0.5, bytes: (length) => Buffer.alloc(length) }, logger },
      policy: { autoReloadAll: false, ignoredWorkloadKinds: [] },
      annotationKeys: defaultAnnotationKeys,
      ignoredSourceKind: undefined,
      namespaces: [],
      namespacesToIgnore: [],
      namespaceSelector: everything,
      sourceSelector: everything,
      digester: new ContentDigester(Buffer.alloc(32)),
      scope: { isEverything: true, namespaceSink: sinkOf('namespaces') },
      sources: { sink: (kind) => this.#sink(kind) },
      csi: undefined,
      workloads: { sink: (kind) => this.#sink(kind), read: unread },
      wholeLists: false,
      gates: undefined,
      onProgress: () => void (this.refusals += 1),
      onLost: ({ plural }) => void this.lost.push(plural),
      observer: () => ({
        listed: () => undefined,
        reconnected: () => undefined,
        decodeFailed: () => undefined,
        sinkFailed: () => undefined,
      }),
      ...options,
    });
  }

  /** The paths of collections that were listed, in order. */
  get listed(): readonly string[] {
    return this.#transport.requests
      .map(({ path }) => new URL(path, 'https://api'))
      .filter(({ searchParams }) => searchParams.has('limit'))
      .map(({ pathname }) => pathname);
  }

  /** The kinds of sources that are known in a namespace. */
  known(namespace = 'shop'): readonly string[] {
    return [...this.watches.knownKinds().in(namespace)];
  }

  get names(): readonly string[] {
    return this.watches.statuses().map(({ name }) => name);
  }

  async start(): Promise<void> {
    this.watches.start();
    await this.clock.advance(1_000);
  }

  async stop(): Promise<void> {
    const stopping = this.watches.stop();
    await this.clock.advance(1_000);
    await stopping;
  }

  /** Ends all watches, as servers do from time to time. */
  async watchesEnd(): Promise<void> {
    for (const body of this.#open.splice(0)) body.end();
    await this.clock.advance(60_000);
  }

  #openWatch(): FakeBody {
    const body = new FakeBody();
    this.#open.push(body);
    return body;
  }

  #sink(what: string): ReflectorSink<unknown> {
    return {
      upsert: () => undefined,
      remove: () => undefined,
      keys: () => [],
      synced: () => void this.sinks.push(what),
    };
  }

  #answer(path: string): Reply | Promise<Reply> {
    const { pathname, searchParams } = new URL(path, 'https://api');
    const resources = this.served.get(pathname);
    if (resources) return { body: { kind: 'APIResourceList', resources: resources.map((name) => ({ name })) } };
    if (pathname === csiApi || pathname === argoApi) return refusal(404, 'NotFound');
    if (searchParams.has('sendInitialEvents')) return refusal(422, 'Invalid', 'sendInitialEvents: Forbidden');
    const answer = this.answers.get(pathname);
    if (answer) return answer;
    if (searchParams.has('watch')) return { body: this.#openWatch() };
    return { body: { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '7' }, items: [] } };
  }
}

describe('Watches', () => {
  it('watches sources and workloads of the whole cluster', async () => {
    const world = new World();
    await world.start();
    expect(world.names).toEqual([
      'configmaps',
      'secrets',
      'deployments.apps',
      'statefulsets.apps',
      'daemonsets.apps',
      'cronjobs.batch',
      'jobs.batch',
    ]);
    expect(world.sinks.toSorted()).toEqual([
      'ConfigMap',
      'CronJob',
      'DaemonSet',
      'Deployment',
      'Job',
      'Secret',
      'StatefulSet',
    ]);
    await world.stop();
  });

  it.each<[string, Partial<WatchesOptions>, readonly string[]]>([
    ['ignored sources', { ignoredSourceKind: 'Secret' }, ['secrets']],
    [
      'ignored kinds of workloads',
      { policy: { autoReloadAll: false, ignoredWorkloadKinds: ['Job', 'CronJob'] } },
      ['jobs.batch', 'cronjobs.batch'],
    ],
    [
      'workloads where they are not wanted',
      { workloads: undefined },
      ['deployments.apps', 'daemonsets.apps', 'statefulsets.apps', 'cronjobs.batch', 'jobs.batch'],
    ],
  ])('does not watch %s', (_what, options, missing) => {
    const { names } = new World(options);
    expect(new World().names.filter((name) => !names.includes(name)).toSorted()).toEqual(missing.toSorted());
  });

  it('watches each of the named namespaces', () => {
    const { names } = new World({ namespaces: ['shop', 'bank'], workloads: undefined });
    expect(names).toEqual(['configmaps in shop', 'secrets in shop', 'configmaps in bank', 'secrets in bank']);
  });

  it('lists namespaces first where they are selected', async () => {
    const selected = {
      isEverything: false,
      namespaceSink: (onSynced: () => void) => ({ upsert: unread, remove: unread, keys: () => [], synced: onSynced }),
    };
    const world = new World({ scope: selected });
    await world.start();
    expect(world.names[0]).toBe('namespaces');
    expect(world.listed[0]).toBe('/api/v1/namespaces');
    await world.stop();
  });
});

describe('what Watches tells of sources', () => {
  it('knows a kind of a namespace once its list there is complete, and has synced once all are', async () => {
    const world = new World({ namespaces: ['shop', 'bank'] });
    const late = later<Reply>();
    world.answers.set('/api/v1/namespaces/bank/secrets', late.promise);
    await world.start();
    expect(world.known('shop')).toEqual(['ConfigMap', 'Secret']);
    expect(world.known('bank')).toEqual(['ConfigMap']);
    expect(world.watches.hasSynced()).toBe(false);
    world.answers.delete('/api/v1/namespaces/bank/secrets');
    late.resolve({ body: { kind: 'SecretList', metadata: { resourceVersion: '8' }, items: [] } });
    await world.clock.advance(1_000);
    expect(world.known('bank')).toEqual(['ConfigMap', 'Secret']);
    expect(world.known('other')).toEqual([]);
    expect(world.watches.hasSynced()).toBe(true);
    await world.stop();
  });

  it('does not wait for what may not be listed, nor know it, and says where', async () => {
    const world = new World({ namespaces: ['shop', 'bank'] });
    world.answers.set('/api/v1/namespaces/bank/secrets', refusal(403, 'Forbidden', forbidden));
    await world.start();
    expect(world.refusals).toBeGreaterThan(0);
    expect(world.watches.hasSynced()).toBe(true);
    expect(world.known('shop')).toEqual(['ConfigMap', 'Secret']);
    expect(world.known('bank')).toEqual(['ConfigMap']);
    expect(world.watches.refusedSources()).toEqual([{ kind: 'Secret', namespace: 'bank' }]);
    await world.stop();
  });

  it('waits for a server that fails', async () => {
    const world = new World();
    world.answers.set('/api/v1/secrets', refusal(500, 'InternalError'));
    await world.start();
    expect(world.watches.hasSynced()).toBe(false);
    expect(world.watches.refusedSources()).toEqual([]);
    await world.stop();
  });

  it.each<[string, Reply, boolean]>([
    ['that a server fails to list are not known', refusal(500, 'InternalError'), false],
    ['that a server does not find for a moment are not known', refusal(404, 'NotFound'), false],
    ['that may not be listed are not waited for', refusal(403, 'Forbidden', forbidden), true],
    [
      'are known when they are listed',
      { body: { kind: 'DeploymentList', metadata: { resourceVersion: '8' }, items: [] } },
      true,
    ],
  ])('workloads %s', async (_which, answer, expected) => {
    const world = new World();
    expect(world.watches.hasListedWorkloads()).toBe(false);
    world.answers.set('/apis/apps/v1/deployments', answer);
    await world.start();
    expect(world.watches.hasListedWorkloads()).toBe(expected);
    await world.stop();
  });

  it('does not wait for workloads', async () => {
    const world = new World();
    world.answers.set('/apis/apps/v1/deployments', refusal(500, 'InternalError'));
    await world.start();
    expect(world.watches.hasSynced()).toBe(true);
    await world.stop();
  });
});

describe('listing again', () => {
  it('knows no source until the second list is complete', async () => {
    const world = new World();
    await world.start();
    const late = later<Reply>();
    world.answers.set('/api/v1/secrets', late.promise);
    const before = world.listed.length;
    const again = world.watches.listSourcesAgain();
    await world.clock.advance(1_000);
    await again;
    expect(world.listed.slice(before).toSorted()).toEqual(['/api/v1/configmaps', '/api/v1/secrets']);
    expect(world.known()).toEqual(['ConfigMap']);
    await world.stop();
  });

  it('lists everything after a restore, and begins a list anew that is under way', async () => {
    const world = new World();
    const late = later<Reply>();
    world.answers.set('/api/v1/secrets', late.promise);
    await world.start();
    world.answers.delete('/api/v1/secrets');
    const before = world.listed.length;
    const again = world.watches.listAllAgain();
    await world.clock.advance(1_000);
    await again;
    const listed = world.listed.slice(before);
    expect(listed.filter((path) => path.startsWith('/api/v1/')).toSorted()).toEqual([
      '/api/v1/configmaps',
      '/api/v1/secrets',
    ]);
    expect(listed).toHaveLength(7);
    expect(world.known().toSorted()).toEqual(['ConfigMap', 'Secret']);
    await world.stop();
  });

  it('of sources leaves a list alone that is under way', async () => {
    const world = new World();
    world.answers.set('/api/v1/secrets', later<Reply>().promise);
    await world.start();
    const before = world.listed.length;
    const again = world.watches.listSourcesAgain();
    await world.clock.advance(1_000);
    await again;
    expect(world.listed.slice(before)).toEqual(['/api/v1/configmaps']);
    await world.stop();
  });

  it('begins nothing once it was stopped', async () => {
    const world = new World();
    await world.start();
    const again = world.watches.listSourcesAgain();
    const stopping = world.watches.stop();
    await world.clock.advance(1_000);
    await Promise.all([again, stopping]);
    const before = world.listed.length;
    await world.clock.advance(60_000);
    expect(world.listed).toHaveLength(before);
    expect(world.watches.statuses().map(({ state }) => state)).toEqual(world.names.map(() => 'stopped'));
  });
});

describe('add-ons', () => {
  it('watches Rollouts while they are served, and tells when they no longer are', async () => {
    const world = new World();
    world.served.set(argoApi, ['rollouts']);
    await world.start();
    expect(world.names).toContain('rollouts.argoproj.io');
    expect(
      world.watches
        .statuses()
        .filter(({ optional }) => optional)
        .map(({ name }) => name),
    ).toEqual(['rollouts.argoproj.io']);
    world.served.delete(argoApi);
    world.answers.set(`${argoApi}/rollouts`, refusal(404, 'NotFound'));
    await world.watchesEnd();
    expect(world.names).not.toContain('rollouts.argoproj.io');
    expect(world.lost).toEqual(['rollouts']);
    await world.stop();
  });

  it('knows SecretProviderClasses where a CSI driver is installed', async () => {
    const csi = { classSink: sinkOf, statusSink: sinkOf, forgetStatuses: unread };
    const without = new World({ csi });
    await without.start();
    expect(without.known()).toEqual(['ConfigMap', 'Secret']);
    await without.stop();
    const world = new World({ csi });
    world.served.set(csiApi, ['secretproviderclasspodstatuses', 'secretproviderclasses']);
    await world.start();
    expect(world.known()).toEqual(['ConfigMap', 'Secret', 'SecretProviderClass']);
    await world.stop();
  });

  it('knows SecretProviderClasses in those namespaces where both of their lists are complete', async () => {
    const csi = { classSink: sinkOf, statusSink: sinkOf, forgetStatuses: unread };
    const world = new World({ csi, namespaces: ['shop', 'bank', 'pay'] });
    world.served.set(csiApi, ['secretproviderclasspodstatuses', 'secretproviderclasses']);
    const unanswered = later<Reply>().promise;
    world.answers.set(`${csiApi}/namespaces/bank/secretproviderclasses`, unanswered);
    world.answers.set(`${csiApi}/namespaces/pay/secretproviderclasspodstatuses`, unanswered);
    await world.start();
    expect(world.known('shop')).toEqual(['ConfigMap', 'Secret', 'SecretProviderClass']);
    for (const namespace of ['bank', 'pay']) expect(world.known(namespace)).toEqual(['ConfigMap', 'Secret']);
    await world.stop();
  });
});
