import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
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
import { bundlePath, RerollProcess, type LogEntry } from '../../reroll-process';
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
  const child = spawnBundle(core, [
    ...['webhook', ...common, `--reconciler-address=${sink.address}`],
    ...['--webhook-listen=127.0.0.1:0', '--listen=127.0.0.1:0'],
  ]);
  // Whoever interrupts the bench wants no process left behind.
  process.once('exit', () => child.kill('SIGKILL'));
  const lines = new LogReader(child);
  const metricsAddress = await lines.addressIn('serving metrics and probes');
  const address = await lines.addressIn('serving admission reviews');
  while (!(await fetch(`http://${metricsAddress}/readyz`)).ok) await delay(20);
  return {
    pid: child.pid ?? 0,
    port: Number(address.split(':').at(-1)),
    ca: material(apiServer, 'webhook').ca,
    metricsAddress,
    stop: async () => {
      await end(child);
      sink.close();
      await https.close();
      temporary.dispose();
    },
  };
}

async function makeCertificates(common: readonly string[]): Promise<void> {
  const certs = new RerollProcess({ args: ['certs', '--once', ...common] });
  const { code } = await certs.exited();
  if (code !== 0) throw new Error(`reroll certs --once ended with ${String(code)}: ${certs.stderr}`);
}

function material(apiServer: ApiServer, leaf: string): TlsMaterial {
  const secret = apiServer.registry.get(secretKind, namespace, certificatesSecretName);
  const pem = (key: string): string => Buffer.from(stringAt(secret, 'data', key) ?? '', 'base64').toString();
  return { cert: pem(`${leaf}.crt`), key: pem(`${leaf}.key`), ca: pem('ca.crt') };
}

/** By its own first line, which has the options of Node that are shipped with it. */
function spawnBundle(core: number | undefined, args: readonly string[]): ChildProcess {
  const [command = '', ...rest] = [...(core === undefined ? [] : ['taskset', '-c', String(core)]), bundlePath, ...args];
  return spawn(command, rest, {
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'close');
  child.kill('SIGKILL');
  await ended;
}

/** Finds addresses in the log, which name the ports that the kernel chose. */
class LogReader {
  readonly #entries: LogEntry[] = [];
  #wake: () => void = () => undefined;
  #ended = false;

  constructor(child: ChildProcess) {
    if (!child.stdout) throw new Error('the process has no output');
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.#entries.push(JSON.parse(line) as LogEntry);
      this.#wake();
    });
    child.once('close', () => {
      this.#ended = true;
      this.#wake();
    });
  }

  async addressIn(message: string): Promise<string> {
    for (;;) {
      const entry = this.#entries.find((candidate) => candidate.message === message);
      if (entry) return String(entry['address']);
      if (this.#ended) throw new Error(`the webhook ended: ${JSON.stringify(this.#entries)}`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
