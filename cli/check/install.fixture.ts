import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { duplexPair, type Duplex } from 'node:stream';
import { createServer } from 'node:tls';
import { parseAllDocuments } from 'yaml';
import { parseSelector } from '../../shared/domain/kubernetes/selector';
import type { HealthInspection } from '../../shared/domain/protocol/health-inspection';
import { bodyOf, clientWorld } from '../../shared/kube/client/client.fixture';
import { errorFromStatus } from '../../shared/kube/errors';
import { requestTarget } from '../../shared/kube/request-target';
import { refusal, type Reply } from '../../shared/kube/transport/fake-transport';
import type { HttpRequest } from '../../shared/kube/transport';
import { FakeClock } from '../../shared/runtime/fake-clock';
import { renderedForMs, SharedRendering } from '../../shared/runtime/http/shared-rendering';
import { runCli } from '../../shared/runtime/options/cli';
import { version } from '../../shared/runtime/version';
import type { Cluster } from '../cluster/cluster';
import type { ClusterWorld } from '../cluster/cluster-command';
import type { LeaderSilentError } from '../cluster/silence';
import { certificateFor, type TestCertificate } from '../parts/certificates.fixture';
import { Facts } from '../parts/facts';
import { checkCommandIn } from './check-command';
import type { Stored, StoredSpec, StoredWebhook } from './stored.fixture';

const manifests = readFileSync(join(__dirname, '..', '..', 'deploy', 'manifests', 'install.yaml'), 'utf8');
const host = 'reroll-webhook.reroll.svc';
const served = certificateFor(host);
export const leader = 'reroll-7d9f8b6c5-x2x4z';
const token = 'a1'.repeat(32);

/** The shipped manifests, as they look when they run: a test takes this install, and breaks something. */
export class TestInstall {
  readonly clock = new FakeClock();
  /** The clock of the machine on which the command runs. */
  readonly ownClock = new FakeClock();
  objects: Stored[];
  /** `list secrets` and the like are refused, as by RBAC. */
  readonly refused = new Set<string>();
  /** API groups of add-ons that the cluster serves. */
  readonly served = new Map<string, readonly string[]>();
  health: HealthInspection;
  silence: LeaderSilentError | undefined;
  certificate: TestCertificate = served;
  /** What each pod of the webhook counts; a call adds to it. */
  metrics: Record<string, number> = { reroll_channel_replicas: 1 };
  /** What happens at a dry run: the webhook warns, or not. */
  onDryRun: (body: Stored) => Reply = ({ metadata: { namespace = '', name }, kind }) => ({
    status: 201,
    headers: { warning: `299 - "${kind} ${namespace}/${name}: the key reroll-check is missing"` },
    body: {},
  });
  username = 'alice';
  /** As a pod serves it. */
  readonly #rendered = new SharedRendering(this.ownClock, renderedForMs, async () => {
    const lines = Object.entries(this.metrics).map(([name, value]) => `${name} ${value}\n`);
    return await Promise.resolve(lines.join(''));
  });
  readonly requests: HttpRequest[] = [];

  constructor() {
    const documents = parseAllDocuments(manifests.replaceAll(/\b0\.1\.0\b/g, version));
    this.objects = [...documents.map((document) => document.toJS() as Stored), ...runningObjects()];
    for (const object of this.objects) complete(object);
    this.health = {
      ...{ v: 1, state: 'acting', version, identity: leader, leader, clockAheadMs: 0 },
      watches: [{ name: 'configmaps', state: 'watching', listed: true, watching: true }],
      ...{ missingPermissions: [], queue: { length: 0 } },
      records: { taken: 12, refused: 0, lastTakenAt: this.#time(-180_000) },
    };
  }

  /** The one object of a kind with this name. */
  object(kind: string, name: string): Stored {
    const found = this.objects.find((object) => object.kind === kind && object.metadata.name === name);
    if (!found) throw new Error(`there is no ${kind} ${name}`);
    return found;
  }

  remove(kind: string, name?: string): void {
    this.objects = this.objects.filter(
      (object) => object.kind !== kind || (name !== undefined && object.metadata.name !== name),
    );
  }

  specOf(kind: string, name: string): StoredSpec {
    return this.object(kind, name).spec ?? {};
  }

  /** The first container of a Deployment. */
  containerOf(deployment: string): { args: string[]; image: string } {
    const container = this.specOf('Deployment', deployment).template?.spec.containers[0];
    if (!container) throw new Error(`Deployment ${deployment} has no container`);
    return container;
  }

  get webhooks(): readonly StoredWebhook[] {
    return this.objects.flatMap(({ webhooks = [] }) => webhooks);
  }

  facts(namespace = 'shop'): Facts {
    const names = { rerollNamespace: 'reroll', leaseName: 'reroll' };
    return new Facts({ cluster: this.cluster(namespace), clock: this.ownClock, ...names, timeoutMs: 5_000 });
  }

  cluster(namespace: string): Cluster {
    const { client } = clientWorld((request) => {
      this.requests.push(request);
      return this.#answer(request);
    });
    return {
      ...{ client, namespace, clock: this.clock },
      ask: async () => {
        if (this.silence) throw this.silence;
        return await Promise.resolve({ pod: leader, body: this.health, bytes: 0 });
      },
      forward: async (pod, port) => await this.#forward(pod, port),
      close: async () => await Promise.resolve(),
    };
  }

  /** Runs `reroll check`. */
  async run(args: readonly string[] = [], more: Partial<ClusterWorld> = {}) {
    const [out, err]: [string[], string[]] = [[], []];
    const io = { columns: 80, out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) };
    const world: ClusterWorld = {
      ...{ io, clock: this.ownClock, isTerminal: false, isErrorTerminal: false, onInterrupt: () => undefined },
      connect: async ({ namespace = 'shop' }) => await Promise.resolve(this.cluster(namespace)),
      ...more,
    };
    const load = async () => await Promise.resolve(checkCommandIn(world));
    const code = await runCli(['check', ...args], {}, io, [{ name: 'check', summary: '', load }]);
    return { code, out: out.join(''), err: err.join('') };
  }

  #time(agoMs: number): string {
    return new Date(this.clock.nowMs() + agoMs).toISOString();
  }

  #answer(request: HttpRequest): Reply {
    const url = new URL(request.path, 'http://api');
    const target = requestTarget(request.method, url.pathname);
    const { verb, group, resource, namespace, name } = target;
    if (url.pathname === '/version') return { body: { gitVersion: 'v1.31.0' } };
    if (this.refused.has(`${verb} ${resource}`)) {
      const where = namespace === undefined ? '' : ` in the namespace "${namespace}"`;
      return refusal(
        403,
        'Forbidden',
        `User "alice" cannot ${verb} resource "${resource}" in API group "${group}"${where}`,
      );
    }
    if (/^\/apis\/[^/]+\/[^/]+$/.test(url.pathname)) {
      const [, , served = ''] = url.pathname.split('/');
      const names = this.served.get(served);
      return names ? { body: { resources: names.map((each) => ({ name: each })) } } : refusal(404, 'NotFound');
    }
    if (resource === 'selfsubjectreviews') return { body: { status: { userInfo: { username: this.username } } } };
    if (request.method === 'POST') {
      // Whoever waits for newer metrics waits no longer.
      void this.ownClock.advance(renderedForMs);
      return this.onDryRun(bodyOf(request) as Stored);
    }
    const found = this.objects.filter(
      (object) =>
        pluralOf(object.kind) === resource &&
        (namespace === undefined || object.metadata.namespace === namespace) &&
        (name === undefined || object.metadata.name === name),
    );
    if (name !== undefined) return found[0] ? { body: found[0] } : refusal(404, 'NotFound');
    const selector = parseSelector(url.searchParams.get('labelSelector') ?? '');
    return { body: { items: found.filter(({ metadata }) => selector.matches(metadata.labels ?? {})) } };
  }

  async #forward(pod: string, port: number): Promise<Duplex> {
    if (this.refused.has('get pods/portforward')) {
      const message = 'pods is forbidden: User "alice" cannot get resource "pods/portforward" in API group ""';
      const path = `/api/v1/namespaces/reroll/pods/${pod}/portforward`;
      const status = { reason: 'Forbidden', message } as never;
      throw errorFromStatus(403, { causes: [], ...(status as object) } as never, requestTarget('GET', path));
    }
    return port === 9090 ? this.#serveMetrics() : await this.#serveTls();
  }

  #serveMetrics(): Duplex {
    const [client, server] = duplexPair();
    server.once('data', () => {
      void this.#rendered.bytes().then((text) => {
        server.end(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\nconnection: close\r\n\r\n${text.toString()}`);
      });
    });
    return client;
  }

  async #serveTls(): Promise<Duplex> {
    const server = createServer({ ...this.certificate });
    server.on('tlsClientError', () => undefined);
    server.on('secureConnection', (socket) => socket.on('error', () => undefined));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('close', () => server.close());
    return socket;
  }
}

/** What exists besides the manifests once they run. */
function runningObjects(): Stored[] {
  const renewTime = new Date(new FakeClock().nowMs() - 2_000).toISOString();
  const labels = (component: string) => ({ 'app.kubernetes.io/component': component });
  const pod = (name: string, component: string): Stored => ({
    kind: 'Pod',
    metadata: { name, namespace: 'reroll', labels: labels(component) },
    spec: { containers: [{ args: [component] }] },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  });
  return [
    {
      kind: 'Lease',
      metadata: { name: 'reroll', namespace: 'reroll' },
      spec: { holderIdentity: leader, leaseDurationSeconds: 15, renewTime },
    },
    pod(leader, 'reconciler'),
    pod('reroll-webhook-1', 'webhook'),
    pod('reroll-webhook-2', 'webhook'),
    pod('reroll-certs-1', 'certs'),
    ...['reroll', 'shop', 'kube-system'].map((name): Stored => ({
      kind: 'Namespace',
      metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
    })),
    {
      kind: 'EndpointSlice',
      metadata: { name: 'w', namespace: 'reroll', labels: { 'kubernetes.io/service-name': 'reroll-webhook' } },
      endpoints: [{ conditions: { ready: true } }, { conditions: { ready: true } }],
    },
  ];
}

/** Adds what the API server, the controllers and `reroll certs` set. */
function complete(object: Stored): void {
  Object.assign(object.metadata, { uid: 'u', resourceVersion: '1' });
  if (object.kind === 'Deployment') object.status = { availableReplicas: object.spec?.replicas };
  const hook = object.kind.startsWith('Validating') ? 'validate' : 'mutate';
  for (const { clientConfig } of object.webhooks ?? []) {
    clientConfig.caBundle = Buffer.from(served.cert).toString('base64');
    clientConfig.service.path = `/${hook}/${token}`;
  }
}

function pluralOf(kind: string): string {
  return `${kind.toLowerCase()}s`;
}
