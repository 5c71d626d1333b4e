import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { decodeTokens, webhookTokenKey, webhookTokenSecretName } from '../../../shared/domain/protocol/webhook-token';
import { systemClock } from '../../../shared/runtime/clock';
import { systemRandom } from '../../../shared/runtime/random';
import type { TlsMaterial } from '../../../shared/runtime/tls/tls-material';
import { certificatesSecretName } from '../../../shared/kube/secrets/tls-secret-source';
import { ApiServer } from '../../apiserver/api-server';
import { secret, seed, seedNamespace } from '../../apiserver/cluster';
import { startHttpsServer } from '../../apiserver/https-server';
import { stringAt } from '../../apiserver/json';
import { secretKind } from '../../apiserver/resources';
import { createTemporaryDir } from '../../control-plane/temporary-dir';
import { shippedSecrets } from '../../shipped-secrets';
import { makeCertificates } from '../certificates';
import { isReady, probesOf, startShipped } from '../shipped';
import { RecordSink } from './record-sink';

const namespace = 'reroll';
/** As the reconciler makes it: without, a webhook captures nothing. */
const digestKeySecret = secret({ name: 'reroll-digest-key', namespace, data: { key: 'k'.repeat(32) } });
export const webhookServerName = `reroll-webhook.${namespace}.svc`;

/** What is measured: the bundle as it is shipped, in a process of its own, with certificates that it made itself. */
export interface WebhookUnderTest {
  readonly pid: number;
  readonly port: number;
  /** What it knows its callers by. */
  readonly token: string;
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
  seed(apiServer, ...shippedSecrets(), digestKeySecret);
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
    token: tokenOf(apiServer),
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
  const pem = (key: string): string => textIn(apiServer, certificatesSecretName, key);
  return { cert: pem(`${leaf}.crt`), key: pem(`${leaf}.key`), ca: pem('ca.crt') };
}

function tokenOf(apiServer: ApiServer): string {
  return decodeTokens(textIn(apiServer, webhookTokenSecretName, webhookTokenKey)).at(-1)?.token ?? '';
}

function textIn(apiServer: ApiServer, name: string, key: string): string {
  const stored = apiServer.registry.get(secretKind, namespace, name);
  return Buffer.from(stringAt(stored, 'data', key) ?? '', 'base64').toString();
}
