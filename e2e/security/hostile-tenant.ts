import net from 'node:net';
import tls from 'node:tls';
import type { Random } from '../../shared/runtime/random';
import { configMap, deployment, fromConfigMap } from '../apiserver/cluster';
import { merge, type Answer, type ContractClient } from '../apiserver/contract/contract-client';
import type { ObjectInput } from '../apiserver/objects';

/** The namespace in which the tenant has the built-in role `admin`. */
export const tenantNamespace = 'tenant';

/** What a tenant can work with. */
export interface Hostility {
  readonly api: ContractClient;
  readonly random: Random;
  /** Ports that any pod can reach: the webhook's, and those for metrics and probes of each process. */
  readonly webhookPort: number;
  readonly probePorts: readonly number[];
  /** Receives every answer that the tenant gets. */
  readonly heard: (answer: Answer) => void;
}

/** One attack on others, which the tenant repeats. */
export interface HostileAct {
  readonly what: string;
  readonly act: (hostility: Hostility) => Promise<void>;
}

const core = `/api/v1/namespaces/${tenantNamespace}`;
const apps = `/apis/apps/v1/namespaces/${tenantNamespace}`;
const auto = { 'reloader.stakater.com/auto': 'true' };
const listKey = 'configmap.reloader.stakater.com/reload';

/** Less than the 256 KiB that all annotations of an object may have. */
const maxAnnotationBytes = 250_000;

function pick(random: Random, below: number): number {
  return Math.floor(random.float() * below);
}

function words(random: Random, bytes: number, length: number): readonly string[] {
  return Array.from({ length: Math.floor(bytes / (length + 1)) }, () => {
    const word = random.bytes(length).toString('hex').slice(0, length);
    return word;
  });
}

/** Creates or changes an object by server-side apply. */
async function put({ api, heard }: Hostility, collection: string, object: ObjectInput): Promise<void> {
  const path = `${collection}/${object.metadata.name}?fieldManager=mallory&force=true`;
  heard(await api.patch(path, 'application/apply-patch+yaml', object));
}

async function dryRun({ api, heard }: Hostility, collection: string, object: ObjectInput): Promise<void> {
  heard(await api.post(`${collection}?dryRun=All`, object));
}

function own(name: string): { readonly name: string; readonly namespace: string } {
  return { name, namespace: tenantNamespace };
}

export const hostileActs: readonly HostileAct[] = [
  {
    what: 'a Deployment with a list of 250 KB',
    act: async (hostility) => {
      const list = words(hostility.random, maxAnnotationBytes, 4).join(',');
      const name = `listing-${String(pick(hostility.random, 5))}`;
      await put(hostility, `${apps}/deployments`, deployment({ ...own(name), annotations: { [listKey]: list } }));
    },
  },
  {
    what: 'a ConfigMap with other key names each time, of up to 1 MB',
    act: async (hostility) => {
      const keys = words(hostility.random, 900_000, 120);
      const data = Object.fromEntries(keys.map((key) => [key, '']));
      await put(hostility, `${core}/configmaps`, configMap({ ...own('keys'), data }));
    },
  },
  {
    what: 'a ConfigMap with 20,000 short keys that a Deployment uses',
    act: async (hostility) => {
      const keys = words(hostility.random, 200_000, 9);
      const data = Object.fromEntries(keys.map((key) => [key, '1']));
      await put(hostility, `${core}/configmaps`, configMap({ ...own('many'), data }));
      const user = deployment({ ...own('many'), annotations: auto, envFrom: [fromConfigMap('many')] });
      await put(hostility, `${apps}/deployments`, user);
    },
  },
  {
    what: 'a Deployment with 3,000 references',
    act: async (hostility) => {
      const envFrom = words(hostility.random, 24_000, 7).map((name) => fromConfigMap(`c${name}`));
      await put(hostility, `${apps}/deployments`, deployment({ ...own('referring'), annotations: auto, envFrom }));
    },
  },
  {
    what: 'a list of patterns that repeat',
    act: async (hostility) => {
      const patterns = words(hostility.random, 60_000, 6).map((word) => `(${word}|.*){20}`);
      await put(
        hostility,
        `${apps}/deployments`,
        deployment({ ...own('patterns'), annotations: { [listKey]: patterns.join(',') } }),
      );
    },
  },
  {
    what: 'a dry run of a Deployment with bad annotations of 180 KB',
    act: async (hostility) => {
      const list = words(hostility.random, 180_000, 12).map((word) => `Not_A.Name-${word}`);
      const annotations = { ...auto, [listKey]: list.join(','), 'reloder.stakater.com/auto': 'true' };
      await dryRun(hostility, `${apps}/deployments`, deployment({ ...own('dry'), annotations }));
    },
  },
  {
    what: 'a dry run of a Deployment with a template of 1 MB',
    act: async (hostility) => {
      const env = words(hostility.random, 600_000, 20).map((word) => ({ name: `E${word}`, value: word }));
      await dryRun(hostility, `${apps}/deployments`, deployment({ ...own('large'), annotations: auto, env }));
    },
  },
  {
    what: 'a forged baseline',
    act: async (hostility) => {
      const sources = Object.fromEntries(words(hostility.random, 150_000, 30).map((word) => [`cm/${word}`, word]));
      const text = JSON.stringify({ v: 1, n: pick(hostility.random, 1e6), key: 'forged', sources });
      await put(
        hostility,
        `${apps}/deployments`,
        deployment({ ...own('forging'), annotations: { ...auto, 'reroll.dev/baseline': text } }),
      );
    },
  },
  {
    what: 'a content of 900 KB that changes each time',
    act: async (hostility) => {
      const data = { blob: hostility.random.bytes(450_000).toString('hex') };
      await put(hostility, `${core}/configmaps`, configMap({ ...own('blob'), data }));
    },
  },
  {
    what: 'a content to be checked that is deep',
    act: async (hostility) => {
      const depth = 50_000 + pick(hostility.random, 50_000);
      const data = {
        'a.json': '['.repeat(depth),
        'b.yaml': '- '.repeat(depth),
        'c.toml': `a = ${'['.repeat(depth)}`,
        'd.yaml': '['.repeat(2_000 + pick(hostility.random, 6_000)),
      };
      const annotations = { 'reroll.dev/validate': 'deny', 'reroll.dev/schema': 'schema' };
      await dryRun(hostility, `${core}/configmaps`, configMap({ ...own('deep'), annotations, data }));
    },
  },
  {
    what: 'a source that comes and goes',
    act: async (hostility) => {
      const { api, heard, random } = hostility;
      await put(
        hostility,
        `${core}/configmaps`,
        configMap({ ...own('blinking'), data: { a: String(random.float()) } }),
      );
      await put(
        hostility,
        `${apps}/deployments`,
        deployment({ ...own('blinking'), annotations: auto, envFrom: [fromConfigMap('blinking', true)] }),
      );
      heard(await api.delete(`${core}/configmaps/blinking`));
    },
  },
  {
    what: 'removing what Reroll has written',
    act: async ({ api, heard }) => {
      const annotations = { 'reroll.dev/baseline': null, 'reroll.dev/last-restart': null };
      heard(await api.patch(`${apps}/deployments/blinking`, merge, { metadata: { annotations } }));
    },
  },
  {
    what: 'asking by pattern and name for what others have',
    act: async (hostility) => {
      const annotations = {
        ...auto,
        'secret.reloader.stakater.com/reload': ['.*', 'db', 'reroll-certs', 'other-tenants-secret'].join(','),
      };
      await dryRun(hostility, `${apps}/deployments`, deployment({ ...own('curious'), annotations }));
    },
  },
  {
    what: 'a hundred connections to the webhook that say nothing',
    act: async ({ webhookPort }) => {
      const options = { host: '127.0.0.1', port: webhookPort, rejectUnauthorized: false };
      await held(Array.from({ length: 100 }, () => tls.connect(options)));
    },
  },
  {
    what: 'two hundred requests to metrics and probes whose head does not end',
    act: async ({ probePorts }) => {
      const sockets = probePorts.flatMap((port) => Array.from({ length: 100 }, () => net.connect(port, '127.0.0.1')));
      for (const socket of sockets) socket.write(`GET /metrics HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(7_000)}`);
      await held(sockets);
    },
  },
];

/** How long an idle connection is held. */
const holdMs = 3_000;

async function held(sockets: readonly net.Socket[]): Promise<void> {
  for (const socket of sockets) socket.on('error', () => undefined);
  await new Promise((resolve) => setTimeout(resolve, holdMs));
  for (const socket of sockets) socket.destroy();
}
