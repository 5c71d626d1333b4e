import { setTimeout as delay } from 'node:timers/promises';
import type { HookType } from '../../webhook/registration/webhook-configuration';
import type { Identity } from '../control-plane/certificates';
import type { ControlPlane } from '../control-plane/cluster';
import { writeKubeconfig } from '../control-plane/kubeconfig';
import { NotWorthPolling, pollUntil } from '../control-plane/poll';
import { freePorts } from '../control-plane/ports';
import { startControlPlane, type ControlPlaneOptions } from '../control-plane/start';
import { MetricSamples } from '../metric-samples';
import type { RerollProcess } from '../reroll-process';
import { ClusterUnderTest } from './cluster-under-test';
import type { FaultyServer } from './faulty-server';
import { deployManifests } from './manifests';

/** The namespace of the tests' workloads. */
export const namespace = 'shop';
export const ownNamespace = 'reroll';

const namespaceObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };

/** The settle window, unless a test sets another one. */
export const defaultSettleMs = 1_000;

const replicas = 3;

/** The service account of the reconcilers. */
export const reconcilerAccount = 'reroll';

/** Its user, as requests and the audit log name it. */
export const reconcilerUser = userOf(reconcilerAccount);

const accountGroups = ['system:serviceaccounts', `system:serviceaccounts:${ownNamespace}`];

function userOf(account: string): string {
  return `system:serviceaccount:${ownNamespace}:${account}`;
}

/** A dedicated control plane with the manifests that users apply, and the processes of Reroll on this host. */
export class RerollCluster extends ClusterUnderTest {
  /** The port at which the API server calls the webhook. */
  readonly webhookPort: number;
  /** The ports at which the replicas of the reconciler receive records. */
  readonly channelPorts: readonly number[];

  /** Starts a control plane and registers the webhook. No process of Reroll is running afterwards. */
  static async start(
    hooks: readonly HookType[] = ['validating'],
    options: ControlPlaneOptions = {},
  ): Promise<RerollCluster> {
    const [webhookPort = 0, ...channelPorts] = await freePorts(1 + replicas);
    const cluster = new RerollCluster(await startControlPlane(options), webhookPort, channelPorts);
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
    super(plane);
    this.webhookPort = webhookPort;
    this.channelPorts = channelPorts;
  }

  /** Replaces all registrations of the webhook with these, and fills in their caBundle. */
  async register(hooks: readonly HookType[]): Promise<void> {
    const kinds = 'validatingwebhookconfigurations,mutatingwebhookconfigurations';
    await this.plane.kubectl(['delete', kinds, 'reroll', '--ignore-not-found']);
    await this.apply(...deployManifests(this.webhookPort, hooks));
    await this.keepCertificates();
  }

  /** Runs `reroll certs --once`, which does all work that is due. */
  async keepCertificates(): Promise<void> {
    const certs = await this.#process('certs', 'reroll-certs', ['--once']);
    const { code } = await certs.exited();
    if (code !== 0) throw new Error(`reroll certs --once ended with ${String(code)}: ${certs.stderr}`);
  }

  /**
   * Starts `reroll webhook` and resolves once it is ready. It sends to the first `reconcilers` replicas of the
   * reconciler.
   */
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

  /**
   * Starts `reroll reconciler` as one of three replicas and resolves once it is ready. `via` stands between it and the
   * API server.
   */
  async reconciler(replica = 0, flags: readonly string[] = [], via?: FaultyServer): Promise<RerollProcess> {
    const args = [
      `--pod-name=reroll-${replica}`,
      `--channel-listen=127.0.0.1:${this.channelPorts[replica] ?? 0}`,
      '--log-level=debug',
      ...flags,
    ];
    const started = await this.#process('reconciler', reconcilerAccount, args, via);
    await ready(started);
    return started;
  }

  /** The certificate and key of one of Reroll's service accounts. */
  async identityOf(account: string): Promise<Identity> {
    return await this.plane.identityFor(userOf(account), accountGroups);
  }

  async #process(
    command: string,
    account: string,
    flags: readonly string[],
    via?: FaultyServer,
  ): Promise<RerollProcess> {
    const kubeconfig = await this.#kubeconfig(account, via);
    const common = [`--kubeconfig=${kubeconfig}`, `--own-namespace=${ownNamespace}`, '--listen=127.0.0.1:0'];
    return this.run({ args: [command, ...common, '--log-format=json', ...flags] });
  }

  async #kubeconfig(account: string, via: FaultyServer | undefined): Promise<string> {
    const direct = await this.plane.kubeconfigFor(userOf(account), accountGroups);
    if (!via) return direct;
    const file = `${direct}.faulty`;
    const identity = await this.identityOf(account);
    await writeKubeconfig(file, { server: via.url, caPem: via.caPem, user: account, identity });
    return file;
  }
}

/** A process renders its metrics at most once a second, and serves the result to all requests in between. */
const renderedForMs = 1_000;

/** The metrics of a process, rendered after the call. */
export async function metricsOf(process: RerollProcess): Promise<MetricSamples> {
  await delay(renderedForMs);
  return new MetricSamples(await (await fetch(`http://${await probesOf(process)}/metrics`)).text());
}

/** Resolves once the process reports that it is ready. Rejects with its log if it ends before. */
export async function ready(process: RerollProcess): Promise<void> {
  const address = await probesOf(process);
  let ended = false;
  void process.exited().then(() => (ended = true));
  await pollUntil('a process of Reroll to be ready', async () => {
    if (ended) throw new NotWorthPolling(`the process ended before it was ready; ${process.logSoFar}`);
    return (await fetch(`http://${address}/readyz`)).ok ? true : undefined;
  });
}

export async function probesOf(process: RerollProcess): Promise<string> {
  const { address } = await process.line(({ message }) => message === 'serving metrics and probes');
  return String(address);
}
