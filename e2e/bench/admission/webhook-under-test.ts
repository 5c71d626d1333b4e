import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../../shared/runtime/clock';
import { systemRandom } from '../../../shared/runtime/random';
import type { TlsMaterial } from '../../../shared/runtime/tls-material';
import { certificatesSecretName } from '../../../shared/kube/tls-secret-source';
import { ApiServer } from '../../apiserver/api-server';
import { seedNamespace } from '../../apiserver/cluster';
import { startHttpsServer } from '../../apiserver/https-server';
import { stringAt } from '../../apiserver/json';
import { secretKind } from '../../apiserver/resources';
import { createTemporaryDir } from '../../control-plane/temporary-dir';
import { makeCertificates } from '../certificates';
import { isReady, probesOf, startShipped } from '../shipped';
import { RecordSink } from './record-sink';

const namespace = 'reroll';
export const webhookServerName = `reroll-webhook.${namespace}.svc`;

/** What is measured: the bundle as it is shipped, in a process of its own, with certificates that it made itself. */
export interface WebhookUnderTest {
  readonly pid: number;
  readonly port: number;
  /** Of the CA that signed its certificate. */
  readonly ca: string;
  readonly metricsAddress: string;
  stop(): Promise<void>;
}

/** `core`: the one that it is kept on; undefined: any. */
export async function startWebhook(core: number | undefined): Promise<WebhookUnderTest> {
  const temporary = createTemporaryDir();
  const apiServer = new ApiServer({ clock: systemClock, random: systemRandom });
  seedNamespace(apiServer, namespace);
  const https = await startHttpsServer(apiServer);
  const kubeconfig = join(temporary.dir, 'kubeconfig');
  await https.writeKubeconfig(kubeconfig, 'reroll');
  const common = [`--kubeconfig=${kubeconfig}`, `--own-namespace=${namespace}`, '--log-format=json'];
  await makeCertificates(common);

  const sink = await RecordSink.start(material(apiServer, 'channel'));
  const flags = [`--reconciler-address=${sink.address}`, '--webhook-listen=127.0.0.1:0', '--listen=127.0.0.1:0'];
  const webhook = startShipped(['webhook', ...common, ...flags], { core });
  const metricsAddress = await probesOf(webhook);
  const { address } = await webhook.line(({ message }) => message === 'serving admission reviews');
  while (!(await isReady(metricsAddress))) await delay(20);
  return {
    pid: webhook.pid ?? 0,
    port: Number(String(address).split(':').at(-1)),
    ca: material(apiServer, 'webhook').ca,
    metricsAddress,
    stop: async () => {
      await webhook.end('SIGKILL');
      sink.close();
      await https.close();
      temporary.dispose();
    },
  };
}

function material(apiServer: ApiServer, leaf: string): TlsMaterial {
  const secret = apiServer.registry.get(secretKind, namespace, certificatesSecretName);
  const pem = (key: string): string => Buffer.from(stringAt(secret, 'data', key) ?? '', 'base64').toString();
  return { cert: pem(`${leaf}.crt`), key: pem(`${leaf}.key`), ca: pem('ca.crt') };
}
