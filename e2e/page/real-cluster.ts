import path from 'node:path';
import { configMaps } from '../../shared/kube/resource';
import { staticCredentials } from '../../shared/kube/access/credentials';
import { KubeClient } from '../../shared/kube/client/client';
import { patchObject } from '../../shared/kube/client/objects';
import { systemClock } from '../../shared/runtime/clock';
import { silentLogger } from '../../shared/runtime/log/logger';
import { systemRandom } from '../../shared/runtime/random';
import { ApiServer } from '../apiserver/api-server';
import { configMap, deployment, fromConfigMap, fromSecret, secret, seed, seedNamespace } from '../apiserver/cluster';
import { Controllers } from '../apiserver/controllers/controllers';
import { startHttpsServer, type HttpsServer } from '../apiserver/https-server';
import { inProcessTransport } from '../apiserver/in-process-transport';
import { forwardTo } from '../apiserver/port-forward';
import { createTemporaryDir, type TemporaryDir } from '../control-plane/temporary-dir';
import { RerollProcess } from '../reroll-process';
import { shippedSecrets } from '../shipped-secrets';
import { userTransport } from '../user-transport';

const auto = { 'reloader.stakater.com/auto': 'true' };

/** A simulated API server with controllers, and the reconciler as it is shipped, which may be asked through it. */
export class RealCluster {
  readonly kubeconfig: string;
  readonly #admin: KubeClient;
  readonly #https: HttpsServer;
  readonly #controllers: Controllers;
  readonly #reconciler: RerollProcess;
  readonly #temporary: TemporaryDir;

  private constructor(parts: {
    readonly kubeconfig: string;
    readonly admin: KubeClient;
    readonly https: HttpsServer;
    readonly controllers: Controllers;
    readonly reconciler: RerollProcess;
    readonly temporary: TemporaryDir;
  }) {
    this.kubeconfig = parts.kubeconfig;
    this.#admin = parts.admin;
    this.#https = parts.https;
    this.#controllers = parts.controllers;
    this.#reconciler = parts.reconciler;
    this.#temporary = parts.temporary;
  }

  /** With Deployments `web-0`, `web-1` … in namespace `shop` that use ConfigMap `app`, and `web-0` Secret `db` too. */
  static async open(count: number): Promise<RealCluster> {
    const temporary = createTemporaryDir();
    const server = new ApiServer({ clock: systemClock, random: systemRandom });
    seedNamespace(server, 'reroll');
    seed(server, ...shippedSecrets());
    seed(server, configMap({ name: 'app', namespace: 'shop', data: { color: 'red', size: 'small' } }));
    seed(server, secret({ name: 'db', namespace: 'shop', data: { url: 'postgres://db' } }));
    const named = Array.from({ length: count }, (_, index) => `web-${index}`);
    const envFrom = [fromConfigMap('app')];
    seed(
      server,
      ...named.map((name, index) =>
        deployment({
          ...{ name, namespace: 'shop', annotations: auto, replicas: 1 },
          envFrom: index === 0 ? [...envFrom, fromSecret('db')] : envFrom,
        }),
      ),
    );
    const controllers = new Controllers(server, { readyDelayMs: 250 });
    controllers.start();
    let port = 0;
    const https = await startHttpsServer(server, { upgrade: forwardTo(() => port) });
    const [own, kubeconfig] = ['reroll', 'alice'].map((user) => path.join(temporary.dir, user)) as [string, string];
    await https.writeKubeconfig(own, 'reroll');
    await https.writeKubeconfig(kubeconfig, 'alice');
    const reconciler = new RerollProcess({
      args: [
        ...['reconciler', `--kubeconfig=${own}`, '--own-namespace=reroll', '--log-format=json', '--settle=1s'],
        ...['--listen=127.0.0.1:0', '--inspection-listen=127.0.0.1:0', '--pod-name=reroll-0'],
        // All restart at once: there are no controllers, so none would ever be healthy.
        ...['--stages-from=0', '--max-rolling=0', '--max-rolling-per-namespace=0'],
      ],
    });
    const { address } = await reconciler.line(({ message }) => message.startsWith('answering questions'));
    port = Number(String(address).split(':').at(-1));
    const admin = new KubeClient({
      ...{ transport: userTransport(inProcessTransport(server, 'alice')), credentials: staticCredentials({}) },
      ...{ clock: systemClock, logger: silentLogger, userAgent: 'kubectl/v1.36.3' },
    });
    return new RealCluster({ kubeconfig, admin, https, controllers, reconciler, temporary });
  }

  /** Writes keys of ConfigMap `app`. */
  async edit(data: Readonly<Record<string, string>>): Promise<void> {
    await patchObject(this.#admin, configMaps, 'shop', 'app', { data }, { type: 'merge' });
  }

  async close(): Promise<void> {
    await this.#reconciler.end();
    this.#controllers.stop();
    await this.#https.close();
    this.#temporary.dispose();
  }
}
