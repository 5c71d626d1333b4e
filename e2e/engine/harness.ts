import type { EngineSettings } from '../../reconciler/options/engine-settings';
import type { EngineDeps } from '../../reconciler/engine/engine-deps';
import { Reconciler } from '../../reconciler/process/reconciler';
import { fieldAt } from '../../shared/domain/kubernetes/json-value';
import { workloadKind, type WorkloadKindName } from '../../shared/domain/kubernetes/workload-kinds';
import type { LeaseTimings } from '../../shared/kube/lease/lease';
import { KubeClient } from '../../shared/kube/client/client';
import { staticCredentials } from '../../shared/kube/access/credentials';
import { deleteObject, getObject, patchObject, type KubeObject } from '../../shared/kube/client/objects';
import { configMaps, secrets, type Resource } from '../../shared/kube/resource';
import { ServerClock } from '../../shared/kube/client/server-clock';
import type { Transport } from '../../shared/kube/transport';
import type { Clock } from '../../shared/runtime/clock';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { Metrics } from '../../reconciler/metrics/metrics';
import { RecordingLogger, type LogLine } from '../../shared/runtime/log/recording-logger';
import { ApiServer, type ApiServerOptions } from '../apiserver/api-server';
import { seed, seedNamespace } from '../apiserver/cluster';
import { NamespaceController } from '../apiserver/controllers/namespace';
import { Faults } from '../apiserver/faults';
import { inProcessTransport } from '../apiserver/in-process-transport';
import type { ObjectInput } from '../apiserver/objects';
import { storeKey, type WriteRecord } from '../apiserver/store';
import { seededRandom } from '../apiserver/seeded-random';
import { defaultSettings, ownNamespace } from '../engine-settings';
import { userTransport } from '../user-transport';

/** A running engine, with its log and metrics. */
export interface Engine {
  readonly reconciler: Reconciler;
  readonly lines: readonly LogLine[];
  readonly metrics: Metrics;
  /** Like kill -9: pending work never finishes, but requests already sent may still arrive. */
  kill(): void;
  stop(): Promise<void>;
}

/** What an engine may have besides: alerts, traces, health checks, the webhook of webhook mode, a callback, and canonical forms. */
export type Outlets = Pick<EngineDeps, 'alerts' | 'traces' | 'webhook' | 'checker' | 'onListed' | 'forms'>;

export const engineUser = 'reroll';

/** A rarely renewed Lease: with the usual timings, two of three requests of a test are renewals. */
const calmLease: LeaseTimings = { leaseDurationMs: 225_000, renewDeadlineMs: 150_000, retryPeriodMs: 60_000 };

/** For tests of what the next leader does: it takes over within a minute. */
export const handoverLease: LeaseTimings = { leaseDurationMs: 40_000, renewDeadlineMs: 30_000, retryPeriodMs: 13_000 };

/** For tests of leadership itself. */
export const usualLease: LeaseTimings = {};

/** The whole engine against a simulated API server, both on one clock that the test controls. */
export class Harness {
  readonly clock = new FakeClock();
  readonly random = seededRandom(1);
  readonly faults: Faults;
  readonly server: ApiServer;
  /** Acts as a user with kubectl. */
  readonly admin: KubeClient;
  /** Applies to engines that are started from now on. */
  leaseTimings = calmLease;
  /** The identities of engines that may still hold the Lease. */
  readonly #candidates = new Set<string>();
  #lastCounted = 0;

  constructor(options: Partial<ApiServerOptions> = {}) {
    this.server = new ApiServer({ clock: this.clock, random: this.random, ...options });
    this.faults = new Faults(this.clock);
    this.admin = this.#client(userTransport(inProcessTransport(this.server, 'admin')), 'kubectl/v1.36.3');
    seedNamespace(this.server, ownNamespace);
  }

  seed(...objects: readonly ObjectInput[]): void {
    seed(this.server, ...objects);
  }

  /** Starts an engine and waits until it is idle: indexes filled, baselines written. */
  async start(
    settings: Partial<EngineSettings> = {},
    spoil?: (text: string) => string,
    outlets?: Outlets,
  ): Promise<Engine> {
    const engine = this.launch(settings, spoil, outlets);
    await this.clock.advance(5_000);
    return engine;
  }

  /**
   * Starts an engine without waiting. `spoil` changes the server's JSON answers on their way to the engine, and
   * `ownClock` is the clock of its node.
   */
  launch(
    settings: Partial<EngineSettings> = {},
    spoil?: (text: string) => string,
    outlets: Outlets = {},
    ownClock: Clock = this.clock,
  ): Engine {
    const all = { ...defaultSettings, identity: 'reroll-0', ...settings };
    if (!all.dryRun) this.#candidates.add(all.identity);
    // No candidate takes over a calm Lease within a test, so a test that expects it to do nothing would prove nothing.
    if (this.#candidates.size > 1 && this.leaseTimings === calmLease)
      throw new Error('several candidates need the handoverLease or the usualLease');
    const logger = new RecordingLogger();
    const metrics = new Metrics({ countByNamespace: false });
    const { transport, kill } = mortal(spoilt(inProcessTransport(this.server, engineUser, this.faults), spoil));
    const clock = new ServerClock(ownClock);
    const deps = {
      client: this.#client(transport, 'reroll/test', clock),
      clock,
      clockAheadMs: () => clock.aheadMs(),
      random: this.random,
      logger,
      metrics,
      leaseTimings: this.leaseTimings,
      ...outlets,
    };
    const reconciler = new Reconciler(deps, all);
    reconciler.start();
    const stop = async (): Promise<void> => {
      this.#candidates.delete(all.identity);
      const stopping = reconciler.stop();
      await this.clock.advance(1_000);
      await stopping;
    };
    return { reconciler, lines: logger.lines, metrics, kill, stop };
  }

  /** Writes `data` of a ConfigMap or Secret as `kubectl patch` would; null removes a key. */
  async edit(
    kind: 'ConfigMap' | 'Secret',
    name: string,
    data: Record<string, string | null>,
    namespace = 'default',
  ): Promise<void> {
    const field = kind === 'Secret' ? 'stringData' : 'data';
    const removed =
      kind === 'Secret' ? { data: Object.fromEntries(Object.entries(data).filter(([, value]) => value === null)) } : {};
    const written =
      kind === 'Secret' ? Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null)) : data;
    await this.patchSource(kind, name, { [field]: written, ...removed }, namespace);
  }

  /** Writes any part of a ConfigMap or Secret; null removes a key. */
  async patchSource(kind: 'ConfigMap' | 'Secret', name: string, patch: object, namespace = 'default'): Promise<void> {
    await patchObject(this.admin, sourceResource(kind), namespace, name, patch, { type: 'merge' });
  }

  async patch(kind: WorkloadKindName, name: string, patch: object, namespace = 'default'): Promise<void> {
    const { resource, patchType: type } = workloadKind(kind);
    await patchObject(this.admin, resource, namespace, name, patch, { type });
  }

  async delete(kind: WorkloadKindName | 'ConfigMap' | 'Secret', name: string, namespace = 'default'): Promise<void> {
    const resource = kind === 'ConfigMap' || kind === 'Secret' ? sourceResource(kind) : workloadKind(kind).resource;
    await deleteObject(this.admin, resource, namespace, name, { propagationPolicy: 'Background' });
  }

  /** Deletes a namespace and, as the namespace controller does, everything in it. */
  async deleteNamespace(name: string): Promise<void> {
    const controller = new NamespaceController(this.server);
    await this.admin.request({ method: 'DELETE', path: `/api/v1/namespaces/${name}` });
    await controller.reconcile(name);
  }

  async deleteOwnSecret(name: string): Promise<void> {
    await deleteObject(this.admin, secrets, ownNamespace, name, { propagationPolicy: 'Background' });
  }

  async get(kind: WorkloadKindName, name: string, namespace = 'default'): Promise<KubeObject> {
    return await getObject(this.admin, workloadKind(kind).resource, namespace, name);
  }

  async label(kind: 'ConfigMap' | 'Secret', name: string, labels: Record<string, string>): Promise<void> {
    await this.patchSource(kind, name, { metadata: { labels } });
  }

  async annotate(kind: 'ConfigMap' | 'Secret', name: string, annotations: Record<string, string>): Promise<void> {
    await this.patchSource(kind, name, { metadata: { annotations } });
  }

  /** All objects of one kind that are stored now. */
  objects(kind: string): readonly KubeObject[] {
    return [...this.server.store.list(this.server.kindOf(kind))];
  }

  /** All stored writes of a workload, oldest first. */
  writesOf(kind: WorkloadKindName, name: string, namespace = 'default'): readonly WriteRecord[] {
    const key = storeKey(namespace, name);
    return this.server.history().filter((write) => write.kind.kind === kind && write.key === key);
  }

  /** Counts restarts: the engine's writes that changed the pod template. */
  restarts(kind: WorkloadKindName, name: string, namespace = 'default'): number {
    return this.writesOf(kind, name, namespace).filter((write) => isRestart(kind, write)).length;
  }

  /** The names of Deployments, once for each restart, in the order of the restarts. */
  restartOrder(): readonly string[] {
    return this.server
      .history()
      .filter((write) => isRestart('Deployment', write))
      .map(({ object }) => object.metadata.name);
  }

  template(object: KubeObject): unknown {
    return fieldAt(object, ['spec', 'template']);
  }

  /**
   * The engine's requests since the last call, like `patch deployments.apps` or `create events`. Requests for the Lease,
   * for the discovery of add-ons and for the history are left out: they have tests of their own.
   */
  requestsSinceLast(): readonly string[] {
    const all = this.server.requests();
    const since = all.slice(this.#lastCounted);
    this.#lastCounted = all.length;
    return since
      .filter(({ user, resource }) => user === engineUser && !/^leases|^\/apis\//.test(resource))
      .filter(({ resource, namespace }) => resource !== 'configmaps' || namespace !== ownNamespace)
      .map(({ verb, resource }) => `${verb} ${resource}`);
  }

  #client(transport: Transport, userAgent: string, serverClock?: ServerClock): KubeClient {
    return new KubeClient({
      transport,
      credentials: staticCredentials({}),
      clock: this.clock,
      ...(serverClock && { serverClock }),
      logger: new RecordingLogger(),
      userAgent,
    });
  }
}

function isRestart(kind: WorkloadKindName, write: WriteRecord): boolean {
  const { user, object, previous } = write;
  if (write.kind.kind !== kind || user !== engineUser || previous === undefined) return false;
  const { templatePath } = workloadKind(kind);
  const [before, after] = [previous, object].map((state) => JSON.stringify(fieldAt(state, templatePath)));
  return before !== after;
}

function sourceResource(kind: 'ConfigMap' | 'Secret'): Resource {
  return kind === 'ConfigMap' ? configMaps : secrets;
}

function spoilt(transport: Transport, spoil: ((text: string) => string) | undefined): Transport {
  if (!spoil) return transport;
  return {
    send: async (request) => {
      const { body, ...response } = await transport.send(request);
      if (response.headers['content-type']?.includes('json') !== true) return { ...response, body };
      const spoiltBody = async function* () {
        for await (const chunk of body) yield Buffer.from(spoil(chunk.toString('utf8')));
      };
      return { ...response, body: spoiltBody() };
    },
  };
}

/** The transport of a process that can die: after `kill`, none of its requests ever completes. */
function mortal(transport: Transport): { readonly transport: Transport; kill(): void } {
  let dead = false;
  const isDead = (): boolean => dead;
  const never = async <T>(): Promise<T> => await new Promise<T>(() => undefined);
  return {
    kill: () => (dead = true),
    transport: {
      send: async (request) => {
        if (isDead()) return await never();
        const response = await transport.send(request);
        if (isDead()) return await never();
        return {
          ...response,
          body: (async function* () {
            for await (const chunk of response.body) {
              if (isDead()) await never();
              yield chunk;
            }
            if (isDead()) await never();
          })(),
        };
      },
    },
  };
}
