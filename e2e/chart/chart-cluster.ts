import { rm } from 'node:fs/promises';
import path from 'node:path';
import { addOnDefinitionFiles, type AddOnUse } from '../control-plane/add-ons';
import type { ControlPlane } from '../control-plane/cluster';
import { helm } from '../control-plane/helm';
import { writeKubeconfig } from '../control-plane/kubeconfig';
import { freePorts } from '../control-plane/ports';
import { startControlPlane } from '../control-plane/start';
import { createTemporaryDir } from '../control-plane/temporary-dir';
import { withValuesFile, type Values } from '../deploy/rendered-chart';
import type { RerollProcess } from '../reroll-process';
import { ClusterUnderTest } from '../webhook/cluster-under-test';
import { namespace, ownNamespace, ready } from '../webhook/reroll-cluster';
import { Service } from '../webhook/service';
import { hostedChart, type ChartEdit } from './hosted-chart';
import { MountedSecret } from './mounted-secret';
import { storedProcess } from './stored-deployment';

/** The name of the Helm release and of the reconciler's Deployment. */
const release = 'reroll';

/** The Deployment of each kind of process. */
export const deployments = { reconciler: release, webhook: `${release}-webhook`, certs: `${release}-certs` } as const;

export type Room = keyof typeof deployments;

/** The maximum number of reconcilers. */
const maxReplicas = 3;

/**
 * A control plane of its own, with the chart installed by the real Helm. The processes of the Deployments run on this
 * host, each with only the token of its ServiceAccount. The pods in the cluster are KWOK's and run nothing.
 */
export class ChartCluster extends ClusterUnderTest {
  /** Stands in for the webhook's Service. */
  readonly service = new Service();
  /** The port where the API server calls the webhook. */
  readonly webhookPort: number;
  readonly #channelPorts: readonly number[];
  readonly #temporary = createTemporaryDir();
  readonly #mounts: MountedSecret[] = [];
  #files = 0;

  /** Starts the control plane without installing the chart. */
  static async start(apiServerFlags: readonly string[] = []): Promise<ChartCluster> {
    const [webhookPort = 0, ...channelPorts] = await freePorts(1 + maxReplicas);
    const cluster = new ChartCluster(await startControlPlane({ apiServerFlags }), webhookPort, channelPorts);
    try {
      await cluster.service.listen(webhookPort);
      await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      return cluster;
    } catch (thrown) {
      await cluster.stop();
      throw thrown;
    }
  }

  private constructor(plane: ControlPlane, webhookPort: number, channelPorts: readonly number[]) {
    super(plane);
    this.webhookPort = webhookPort;
    this.#channelPorts = channelPorts;
  }

  /** Installs the CustomResourceDefinitions of add-ons. */
  async define(use: AddOnUse): Promise<void> {
    const files = addOnDefinitionFiles(use).flatMap((file) => ['-f', file]);
    await this.plane.kubectl(['apply', '--server-side', ...files]);
    await this.plane.kubectl(['wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all']);
  }

  /** Installs or upgrades the chart, without waiting for pods. */
  async release(values: Values = {}, edits: readonly ChartEdit[] = []): Promise<void> {
    const chart = await hostedChart(this.#newFile(), this.webhookPort, edits);
    await withValuesFile(values, async (file) => {
      const args = ['upgrade', '--install', release, chart, '--values', file, '--create-namespace'];
      await this.#helm(...args);
    });
    await rm(chart, { recursive: true });
  }

  async uninstall(): Promise<void> {
    await this.#helm('uninstall', release);
  }

  /** Starts the process of a Deployment's pods and resolves once it is ready. A webhook receives calls from then on. */
  async start(room: Room, { replica = 0, flags = [] as readonly string[] } = {}): Promise<RerollProcess> {
    const pod = `${deployments[room]}-${String(replica)}`;
    const { account, args, env, mounts } = await storedProcess(this.admin, ownNamespace, {
      ...{ deployment: deployments[room], pod },
    });
    const [webhookPort = 0] = await freePorts(1);
    const addresses: Readonly<Record<string, string>> = {
      '--webhook-listen': `127.0.0.1:${String(webhookPort)}`,
      '--channel-listen': this.#channelAddress(replica),
    };
    const folders = new Map<string, string>();
    for (const [mountPath, secret] of mounts) folders.set(mountPath, await this.#mount(secret));
    const ours = args.map((arg) => {
      const [flag = '', value = ''] = arg.split('=');
      const here = addresses[flag] ?? folders.get(value);
      return here === undefined ? arg : `${flag}=${here}`;
    });
    const kubeconfig = await this.#kubeconfigOf(account);
    const started = this.run({ args: [...ours, `--kubeconfig=${kubeconfig}`, '--listen=127.0.0.1:0', ...flags], env });
    await ready(started);
    if (room === 'webhook') this.service.endpoint = webhookPort;
    return started;
  }

  /** The webhook's flag with the addresses of the reconcilers: there is no pod network here. */
  get reconcilerAddresses(): string {
    return `--reconciler-address=${this.#channelPorts.map((_, replica) => this.#channelAddress(replica)).join(',')}`;
  }

  override async stop(): Promise<void> {
    this.service.close();
    await Promise.all(this.#mounts.map(async (each) => await each.unmount()));
    await super.stop();
    this.#temporary.dispose();
  }

  async #mount(secret: string): Promise<string> {
    const mounted = await MountedSecret.mount(this.admin, {
      namespace: ownNamespace,
      name: secret,
      dir: this.#newFile(),
    });
    this.#mounts.push(mounted);
    return mounted.dir;
  }

  #channelAddress(replica: number): string {
    return `127.0.0.1:${String(this.#channelPorts[replica] ?? 0)}`;
  }

  async #helm(...args: readonly string[]): Promise<void> {
    await helm([...args, '--namespace', ownNamespace], this.plane.adminKubeconfigPath);
  }

  async #kubeconfigOf(account: string): Promise<string> {
    const args = ['create', 'token', account, '--namespace', ownNamespace];
    const token = (await this.plane.kubectl(args)).trim();
    const file = this.#newFile();
    const { apiServerUrl: server, caPem } = this.plane;
    await writeKubeconfig(file, { server, caPem, user: account, identity: { token } });
    return file;
  }

  #newFile(): string {
    return path.join(this.#temporary.dir, String(this.#files++));
  }
}
