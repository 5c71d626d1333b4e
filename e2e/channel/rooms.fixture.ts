import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KubeClient } from '../../shared/kube/client/client';
import { staticCredentials } from '../../shared/kube/access/credentials';
import { patchObject } from '../../shared/kube/client/objects';
import { configMaps } from '../../shared/kube/resource';
import { systemClock } from '../../shared/runtime/clock';
import { systemRandom } from '../../shared/runtime/random';
import { RecordingLogger } from '../../shared/runtime/log/recording-logger';
import { webhookConfiguration } from '../../webhook/registration/webhook-configuration';
import { ApiServer } from '../apiserver/api-server';
import { configMap, deployment, fromConfigMap, seed, seedNamespace } from '../apiserver/cluster';
import { startHttpsServer, type HttpsServer } from '../apiserver/https-server';
import { inProcessTransport } from '../apiserver/in-process-transport';
import type { ObjectInput } from '../apiserver/objects';
import { customKind } from '../apiserver/resources';
import { ValidatingWebhooks, validatingWebhookConfigurationKind } from '../apiserver/validating-webhooks';
import { createTemporaryDir, type TemporaryDir } from '../control-plane/temporary-dir';
import { RerollProcess } from '../reroll-process';
import { shippedSecrets } from '../shipped-secrets';
import { userTransport } from '../user-transport';
import { mallocSettings, chartNodeOptions } from '../image-environment';
import { accounts, deployedRights, type Room } from './deployed-rights';

export const ownNamespace = 'reroll';

/** Each process listens on any free port, so that tests can run in parallel. */
const listening: Readonly<Record<Room, readonly string[]>> = {
  reconciler: ['--listen=127.0.0.1:0', '--channel-listen=127.0.0.1:0', '--settle=3s'],
  webhook: ['--listen=127.0.0.1:0', '--webhook-listen=127.0.0.1:0'],
  certs: ['--listen=127.0.0.1:0'],
};

const customKinds = [
  validatingWebhookConfigurationKind,
  customKind({
    ...{ group: 'admissionregistration.k8s.io', version: 'v1', namespaced: false },
    ...{ kind: 'MutatingWebhookConfiguration', plural: 'mutatingwebhookconfigurations' },
  }),
  customKind({ group: 'discovery.k8s.io', version: 'v1', kind: 'EndpointSlice', plural: 'endpointslices' }),
];

/** The ports on loopback that the Services lead to. */
interface Ports {
  webhook: number | undefined;
}

/** The three rooms as processes of the shipped bundle, each with its own rights, against a simulated API server. */
export class Rooms {
  readonly server: ApiServer;
  readonly #webhooks: ValidatingWebhooks;
  readonly #ports: Ports;
  readonly #https: HttpsServer;
  readonly #temporary: TemporaryDir;
  readonly #processes: RerollProcess[] = [];

  private constructor(server: ApiServer, webhooks: ValidatingWebhooks, ports: Ports, https: HttpsServer) {
    this.server = server;
    this.#webhooks = webhooks;
    this.#ports = ports;
    this.#https = https;
    this.#temporary = createTemporaryDir();
  }

  static async open(): Promise<Rooms> {
    const ports: Ports = { webhook: undefined };
    const webhooks: ValidatingWebhooks = new ValidatingWebhooks({
      clock: systemClock,
      configurations: () => server.store.list(validatingWebhookConfigurationKind),
      portOf: () => ports.webhook,
    });
    const time = { clock: systemClock, random: systemRandom };
    const server: ApiServer = new ApiServer({ ...time, customKinds, admission: [webhooks] });
    seedNamespace(server, ownNamespace);
    const auto = { 'reloader.stakater.com/auto': 'true' };
    seed(
      server,
      // Empty; `reroll certs` fills them.
      ...shippedSecrets(),
      configMap({ name: 'app', data: { color: 'red', size: 'l' } }),
      deployment({ name: 'web', annotations: auto, envFrom: [fromConfigMap('app')] }),
      webhookConfiguration('validating', { namespace: ownNamespace, name: 'reroll-webhook' }) as object as ObjectInput,
    );
    for (const room of ['reconciler', 'webhook', 'certs'] as const) {
      server.rbac.restrict(accounts[room], deployedRights(room));
    }
    return new Rooms(server, webhooks, ports, await startHttpsServer(server));
  }

  get dir(): string {
    return this.#temporary.dir;
  }

  /** Starts the process of a room with the rights of its service account. */
  async run(room: Room, ...more: readonly string[]): Promise<RerollProcess> {
    return await this.#start(room, more, {});
  }

  /** Like {@link run}, with the heap limits that the chart sets. */
  async runShipped(room: Room): Promise<RerollProcess> {
    return await this.#start(room, [], { NODE_OPTIONS: chartNodeOptions, ...mallocSettings });
  }

  async #start(room: Room, more: readonly string[], env: Readonly<Record<string, string>>): Promise<RerollProcess> {
    const kubeconfig = join(this.dir, `${room}.kubeconfig`);
    await this.#https.writeKubeconfig(kubeconfig, accounts[room]);
    const own = [`--kubeconfig=${kubeconfig}`, `--own-namespace=${ownNamespace}`, '--log-format=json'];
    const running = new RerollProcess({ args: [room, ...own, ...listening[room], ...more], env });
    this.#processes.push(running);
    return running;
  }

  /** A kubeconfig for an API server that does not exist. */
  async kubeconfigToNowhere(): Promise<string> {
    const file = join(this.dir, 'nowhere.kubeconfig');
    await this.#https.writeKubeconfig(file, 'nobody');
    await writeFile(file, (await readFile(file, 'utf8')).replace(this.#https.url, 'https://127.0.0.1:1'));
    return file;
  }

  /** Makes the Service of the webhook lead to this port, as if the webhook had become ready. */
  addWebhook(port: number): void {
    this.#ports.webhook = port;
  }

  /** Adds a ready replica of the reconciler to the Service of the channel. */
  addReplica(port: number): void {
    seed(this.server, {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: {
        name: `reroll-channel-${String(port)}`,
        namespace: ownNamespace,
        labels: { 'kubernetes.io/service-name': 'reroll-channel' },
      },
      addressType: 'IPv4',
      ports: [{ name: 'https', port, protocol: 'TCP' }],
      endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true, serving: true } }],
    });
  }

  /** Edits the ConfigMap, as alice with kubectl. */
  async edit(data: Readonly<Record<string, string>>): Promise<void> {
    const client = new KubeClient({
      transport: userTransport(inProcessTransport(this.server, 'alice')),
      ...{ clock: systemClock, logger: new RecordingLogger() },
      ...{ credentials: staticCredentials({}), userAgent: 'kubectl' },
    });
    await patchObject(client, configMaps, 'default', 'app', { data }, { type: 'merge' });
  }

  async close(): Promise<void> {
    await Promise.all(this.#processes.map(async (running) => await running.end('SIGKILL')));
    this.#webhooks.close();
    await this.#https.close();
    this.#temporary.dispose();
  }
}
