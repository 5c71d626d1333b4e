import { stringify } from 'yaml';
import { createHttpsTransport, type HttpsTransport } from '../../shared/kube/transport/https-transport';
import { ContractClient } from '../apiserver/contract/contract-client';
import { addOnDefinitionFiles, rolloutsControllerFile } from '../control-plane/add-ons';
import { rerollUser, type ControlPlane } from '../control-plane/cluster';
import { pollUntil } from '../control-plane/poll';
import { freePorts } from '../control-plane/ports';
import { grantRerollAccess } from '../control-plane/reroll-access';
import { startControlPlane } from '../control-plane/start';
import { RerollProcess } from '../reroll-process';
import { collectionPath } from './object-paths';
import { Recorder } from './recorder';

/** The namespace of the reconciler and of its meta-info ConfigMap. */
export const ownNamespace = 'reroll';

/** Short, so that many groups take little time; long enough that simultaneous edits lead to one restart. */
export const settleMs = 500;

/** One control plane for all groups, with the real definitions of the add-ons and a recorder of all that happens. */
export class CompatCluster {
  readonly plane: ControlPlane;
  readonly admin: ContractClient;
  readonly recorder: Recorder;
  readonly #transport: HttpsTransport;
  #runsRollouts = false;

  static async start(): Promise<CompatCluster> {
    const plane = await startControlPlane({ nodeCount: 1 });
    const cluster = new CompatCluster(plane);
    try {
      await grantRerollAccess(plane, { namespace: ownNamespace, extraRules: metaInfoRules });
      await cluster.#installAddOns();
      await cluster.recorder.start();
      return cluster;
    } catch (thrown) {
      await cluster.stop();
      throw thrown;
    }
  }

  private constructor(plane: ControlPlane) {
    this.plane = plane;
    const { apiServerUrl, caPem, admin } = plane;
    const tls = { ca: Buffer.from(caPem), cert: Buffer.from(admin.certPem), key: Buffer.from(admin.keyPem) };
    this.#transport = createHttpsTransport({ server: apiServerUrl, tls });
    this.admin = new ContractClient(this.#transport);
    const recorded = ['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob', 'Job', 'Rollout', 'Event'] as const;
    this.recorder = new Recorder(this.admin, recorded);
  }

  /** Starts a reconciler like Reloader's chart does: without a command, with Reloader's flags and environment. */
  async reconciler(flags: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<RerollProcess> {
    const reroll = new RerollProcess({
      args: ['--log-format=json', '--log-level=debug', ...flags],
      env: {
        KUBECONFIG: await this.plane.kubeconfigFor(rerollUser),
        POD_NAME: 'reloader-0',
        POD_NAMESPACE: ownNamespace,
        RELOADER_NAMESPACE: ownNamespace,
        RELOADER_DEPLOYMENT_NAME: 'reloader',
        REROLL_LISTEN: '127.0.0.1:0',
        REROLL_SETTLE: `${settleMs}ms`,
        ...env,
      },
    });
    const { address } = await reroll.line(({ message }) => message === 'serving metrics and probes');
    await pollUntil('the reconciler to be ready', async () =>
      (await fetch(`http://${String(address)}/readyz`)).ok ? true : undefined,
    );
    return reroll;
  }

  async apply(objects: readonly object[]): Promise<void> {
    if (objects.length === 0) return;
    const stdin = objects.map((object) => stringify(object)).join('---\n');
    await this.plane.kubectl(['apply', '-f', '-'], { stdin });
  }

  /** Starts the real controller of Argo Rollouts, on the first call. */
  async runRollouts(): Promise<void> {
    if (this.#runsRollouts) return;
    this.#runsRollouts = true;
    const [healthz = 0, metrics = 0] = await freePorts(2);
    const kubeconfig = this.plane.adminKubeconfigPath;
    await this.plane.startServer({
      name: 'rollouts-controller',
      file: rolloutsControllerFile(),
      args: [
        ...[`--kubeconfig=${kubeconfig}`, '--leader-elect=false'],
        ...[`--healthzPort=${healthz}`, `--metricsport=${metrics}`],
      ],
    });
  }

  async #installAddOns(): Promise<void> {
    const files = addOnDefinitionFiles('workloads').flatMap((file) => ['-f', file]);
    await this.plane.kubectl(['apply', '--server-side', ...files]);
    for (const kind of ['Rollout', 'SecretProviderClass', 'SecretProviderClassPodStatus'] as const) {
      await pollUntil(`${kind} to be served`, async () =>
        (await this.admin.get(collectionPath(kind))).status === 200 ? true : undefined,
      );
    }
  }

  async stop(): Promise<void> {
    this.recorder.close();
    this.#transport.close();
    await this.plane.stop();
  }
}

/** What the role of Reloader's chart allows beyond Reroll's. */
const metaInfoRules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'update'] }];
