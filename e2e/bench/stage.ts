import { join } from 'node:path';
import { createHttpsTransport, type HttpsTransport } from '../../shared/kube/transport/https-transport';
import { systemClock } from '../../shared/runtime/clock';
import { systemRandom } from '../../shared/runtime/random';
import { ApiServer } from '../apiserver/api-server';
import { ContractClient } from '../apiserver/contract/contract-client';
import { startHttpsServer } from '../apiserver/https-server';
import { stringAt } from '../apiserver/json';
import { uniqueRequests } from '../control-plane/audit';
import type { Identity } from '../control-plane/certificates';
import { startControlPlane } from '../control-plane/start';
import { createTemporaryDir } from '../control-plane/temporary-dir';
import { pinnedVersions } from '../control-plane/versions';

/** Two service accounts with every right: the audit log distinguishes their requests. */
export type StageUser = 'subject' | 'floor';

/** A request that the API server has answered. */
export interface StageRequest {
  /** `list`, `watch`, `get`, `create`, `update`, `patch` or `delete`; `other` if the path is not a resource. */
  readonly verb: string;
  /** The plural without its group; the path itself if it is not a resource. */
  readonly resource: string;
  /** The requested path with its query. */
  readonly path: string;
  /** When it was received, in Unix time. */
  readonly atMs: number;
}

/** The control plane that a bench runs on. It has no workloads yet. */
export interface Stage {
  /** What the control plane consists of, with versions. */
  readonly description: string;
  readonly url: string;
  readonly caPem: string;
  /** The bench's own client, with every right: it fills the stage and observes. */
  readonly api: ContractClient;
  identityFor(user: StageUser): Promise<Identity>;
  kubeconfigFor(user: StageUser): Promise<string>;
  /** A service account token, as a pod of the user has it. */
  tokenFor(user: StageUser): Promise<string>;
  /** All requests of a user so far, in order. A watch is listed from its start. */
  requestsOf(user: StageUser): Promise<readonly StageRequest[]>;
  stop(): Promise<void>;
}

/** A stage whose API server is in this process, so that a bench can fill it without requests. */
export interface SimulatedStage extends Stage {
  readonly server: ApiServer;
}

const ownNamespace = 'reroll';
const accountGroups = ['system:serviceaccounts', `system:serviceaccounts:${ownNamespace}`];

/** Connections of the bench's own client: more requests would only wait in the API server. */
const fillingSockets = 32;

/** Starts the real control plane, in processes of its own. */
export async function openRealStage(): Promise<Stage> {
  const plane = await startControlPlane();
  const transport = transportOf(plane.apiServerUrl, plane.caPem, plane.admin);
  const api = new ContractClient(transport);
  await createNamespace(api, ownNamespace);
  for (const user of ['subject', 'floor'] as const) await grantAll(api, user);
  const { kubernetes, etcd, kwok } = pinnedVersions();
  return {
    description: `kube-apiserver ${kubernetes}, etcd ${etcd} without fsync, KWOK ${kwok}`,
    ...{ url: plane.apiServerUrl, caPem: plane.caPem, api },
    identityFor: async (user) => await plane.identityFor(nameOf(user), accountGroups),
    kubeconfigFor: async (user) => await plane.kubeconfigFor(nameOf(user), accountGroups),
    tokenFor: async (user) => await requestToken(api, user),
    requestsOf: async (user) =>
      uniqueRequests(await plane.auditEntries({ user: nameOf(user) })).map((entry) => ({
        verb: entry.objectRef === undefined ? 'other' : entry.verb,
        resource: entry.objectRef?.resource ?? entry.requestURI,
        path: entry.requestURI,
        atMs: Date.parse(entry.requestReceivedTimestamp),
      })),
    async stop() {
      transport.close();
      await plane.stop();
    },
  };
}

/** Serves the simulated API server over TLS from this process, for sizes at which the real one takes too long. */
export async function openSimulatedStage(): Promise<SimulatedStage> {
  const temporary = createTemporaryDir();
  const server = new ApiServer({ clock: systemClock, random: systemRandom, watchWindow: 100_000 });
  const https = await startHttpsServer(server, {
    tokens: new Map([
      ['token-of-subject', 'subject'],
      ['token-of-floor', 'floor'],
    ]),
  });
  const transport = transportOf(https.url, https.caPem, await https.identityFor('admin'));
  const api = new ContractClient(transport);
  await createNamespace(api, ownNamespace);
  return {
    description: 'the simulated API server, over TLS',
    ...{ url: https.url, caPem: https.caPem, api, server },
    identityFor: async (user) => await https.identityFor(user),
    async kubeconfigFor(user) {
      const file = join(temporary.dir, user);
      await https.writeKubeconfig(file, user);
      return file;
    },
    tokenFor: async (user) => await Promise.resolve(`token-of-${user}`),
    requestsOf: async (user) =>
      await Promise.resolve(
        server
          .requests()
          .filter((request) => request.user === user)
          .map(({ verb, resource, path, atMs }) => ({ verb, resource: resource.split('.')[0] ?? '', path, atMs })),
      ),
    async stop() {
      transport.close();
      await https.close();
      temporary.dispose();
    },
  };
}

export async function createNamespace(api: ContractClient, name: string): Promise<void> {
  await created(api, '/api/v1/namespaces', { metadata: { name } });
}

/** @throws Error with the server's message if it refuses. */
export async function created(api: ContractClient, path: string, object: object): Promise<void> {
  const { status, bytes } = await api.post(path, object);
  if (status !== 201) throw new Error(`POST ${path}: ${String(status)} ${bytes.toString()}`);
}

function transportOf(server: string, caPem: string, { certPem, keyPem }: Identity): HttpsTransport {
  const tls = { ca: Buffer.from(caPem), cert: Buffer.from(certPem), key: Buffer.from(keyPem) };
  return createHttpsTransport({ server, tls, maxRequestSockets: fillingSockets });
}

function nameOf(user: StageUser): string {
  return `system:serviceaccount:${ownNamespace}:${user}`;
}

/** Grants rights through RBAC, not `system:masters`: the API server gives requests of that group precedence. */
async function grantAll(api: ContractClient, user: StageUser): Promise<void> {
  await created(api, `/api/v1/namespaces/${ownNamespace}/serviceaccounts`, { metadata: { name: user } });
  await created(api, '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: `bench-${user}` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', namespace: ownNamespace, name: user }],
  });
}

async function requestToken(api: ContractClient, user: StageUser): Promise<string> {
  const path = `/api/v1/namespaces/${ownNamespace}/serviceaccounts/${user}/token`;
  const { body } = await api.post(path, { spec: {} });
  const token = stringAt(body, 'status', 'token');
  if (token === undefined) throw new Error(`POST ${path}: no token in the answer`);
  return token;
}
