import { stringify } from 'yaml';
import { KubeClient } from '../../shared/kube/client';
import { staticCredentials } from '../../shared/kube/credentials';
import { createHttpsTransport, type HttpsTransport } from '../../shared/kube/https-transport';
import { systemClock } from '../../shared/runtime/clock';
import { silentLogger } from '../../shared/runtime/logger';
import type { HookType } from '../../webhook/webhook-configuration';
import { ContractClient } from '../apiserver/contract/contract-client';
import type { Identity } from '../control-plane/certificates';
import type { ControlPlane } from '../control-plane/cluster';
import { pollUntil } from '../control-plane/poll';
import { freePorts } from '../control-plane/ports';
import { startControlPlane } from '../control-plane/start';
import { RerollProcess } from '../reroll-process';
import { deployManifests } from './manifests';
import { MetricSamples } from '../metric-samples';

/** Where the workloads of the tests are. */
export const namespace = 'shop';
export const ownNamespace = 'reroll';

const namespaceObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };

/** How long a change rests before its restart, where nothing else is set. */
export const defaultSettleMs = 1_000;

const replicas = 3;

/** A control plane of our own, with the manifests that users apply, and the processes of Reroll on this host. */
export class RerollCluster {
  readonly plane: ControlPlane;
  /** For requests with every right. */
  readonly admin: ContractClient;
  /** Where the API server calls the webhook. */
  readonly webhookPort: number;
  /** Where the replicas of the reconciler receive records. */
  readonly channelPorts: readonly number[];
  readonly #transports: HttpsTransport[] = [];
  readonly #processes = new Set<RerollProcess>();

  /** Registers the webhook; leaves no process of Reroll running. */
  static async start(hooks: readonly HookType[] = ['validating']): Promise<RerollCluster> {
    const [webhookPort = 0, ...channelPorts] = await freePorts(1 + replicas);
    const cluster = new RerollCluster(await startControlPlane(), webhookPort, channelPorts);
    try {
      await cluster.apply(namespaceObject);
      await cluster.register(hooks);
      return cluster;
    } catch (thrown) {
      await cluster.stop();
      throw thrown;
    }
  }

  private constructor(plane: ControlPlane, webhookPort: number, channelPorts: readonly number[]) {
    this.plane = plane;
    this.webhookPort = webhookPort;
    this.channelPorts = channelPorts;
    this.admin = this.#client(plane.admin);
  }

  /** Registers the webhook in this way instead, and gives the registrations their caBundle. */
  async register(hooks: readonly HookType[]): Promise<void> {
    const kinds = 'validatingwebhookconfigurations,mutatingwebhookconfigurations';
    await this.plane.kubectl(['delete', kinds, 'reroll', '--ignore-not-found']);
    await this.apply(...deployManifests(this.webhookPort, hooks));
    await this.keepCertificates();
  }

  /** A client of a user with the built-in role `edit`. */
  async editor(user: string): Promise<ContractClient> {
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }];
    await this.apply({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: `edit-${user}` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
      subjects,
    });
    return this.#client(await this.plane.identityFor(user));
  }

  /** A client of the product's own kind, with every right. */
  kubeClient(): KubeClient {
    return new KubeClient({
      ...{ transport: this.#transport(this.plane.admin), credentials: staticCredentials({}) },
      ...{ clock: systemClock, logger: silentLogger, userAgent: 'reroll-e2e' },
    });
  }

  async apply(...objects: readonly object[]): Promise<void> {
    await this.plane.kubectl(['apply', '-f', '-'], { stdin: objects.map((object) => stringify(object)).join('---\n') });
  }

  /** `reroll certs --once`: does what is owed. */
  async keepCertificates(): Promise<void> {
    const certs = await this.#process('certs', 'reroll-certs', ['--once']);
    const { code } = await certs.exited();
    if (code !== 0) throw new Error(`reroll certs --once ended with ${String(code)}: ${certs.stderr}`);
  }

  /** `reroll webhook`, once it has its certificate; it sends to the first so many replicas of the reconciler. */
  async webhook({
    reconcilers = 1,
    port = this.webhookPort,
    flags = [] as readonly string[],
  } = {}): Promise<RerollProcess> {
    const addresses = this.channelPorts.slice(0, reconcilers).map((channelPort) => `127.0.0.1:${channelPort}`);
    const started = await this.#process('webhook', 'reroll-webhook', [
      `--webhook-listen=127.0.0.1:${port}`,
      `--reconciler-address=${addresses.join(',')}`,
      ...flags,
    ]);
    await ready(started);
    return started;
  }

  /** `reroll reconciler` as one of three replicas, once it is able to act. */
  async reconciler(replica = 0, flags: readonly string[] = []): Promise<RerollProcess> {
    const started = await this.#process('reconciler', 'reroll', [
      `--pod-name=reroll-${replica}`,
      `--channel-listen=127.0.0.1:${this.channelPorts[replica] ?? 0}`,
      '--log-level=debug',
      ...flags,
    ]);
    await ready(started);
    return started;
  }

  /** What the API server says of its calls of webhooks. */
  async apiServerMetrics(): Promise<MetricSamples> {
    return new MetricSamples((await this.admin.get('/metrics')).bytes.toString('utf8'));
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#processes].map(async (each) => await each.end('SIGKILL')));
    for (const transport of this.#transports) transport.close();
    await this.plane.stop();
  }

  async #process(command: string, account: string, flags: readonly string[]): Promise<RerollProcess> {
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${ownNamespace}`];
    const kubeconfig = await this.plane.kubeconfigFor(`system:serviceaccount:${ownNamespace}:${account}`, groups);
    const common = [`--kubeconfig=${kubeconfig}`, `--own-namespace=${ownNamespace}`, '--listen=127.0.0.1:0'];
    const started = new RerollProcess({ args: [command, ...common, '--log-format=json', ...flags] });
    this.#processes.add(started);
    return started;
  }

  #client(identity: Identity): ContractClient {
    return new ContractClient(this.#transport(identity));
  }

  #transport({ certPem, keyPem }: Identity): HttpsTransport {
    const { apiServerUrl, caPem } = this.plane;
    const tls = { ca: Buffer.from(caPem), cert: Buffer.from(certPem), key: Buffer.from(keyPem) };
    const transport = createHttpsTransport({ server: apiServerUrl, tls });
    this.#transports.push(transport);
    return transport;
  }
}

/** What a process says about itself. */
export async function metricsOf(process: RerollProcess): Promise<MetricSamples> {
  return new MetricSamples(await (await fetch(`http://${await probesOf(process)}/metrics`)).text());
}

async function ready(process: RerollProcess): Promise<void> {
  const address = await probesOf(process);
  await pollUntil('a process of Reroll to be ready', async () =>
    (await fetch(`http://${address}/readyz`)).ok ? true : undefined,
  );
}

async function probesOf(process: RerollProcess): Promise<string> {
  const { address } = await process.line(({ message }) => message === 'serving metrics and probes');
  return String(address);
}
