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

/** Two service accounts with every right, so that their requests can be told apart. */
export type StageUser = 'subject' | 'floor';

/** A request that the API server has answered. */
export interface StageRequest {
  /** `list`, `watch`, `get`, `create`, `update`, `patch` or `delete`; `other` for what is no resource. */
  readonly verb: string;
  /** Plural without its group; the path for what is no resource. */
  readonly resource: string;
  /** As it was asked, with its query. */
  readonly path: string;
  /** When it was received, since 1970. */
  readonly atMs: number;
}

/** Where a bench takes place: a control plane with nothing on it yet. */
export interface Stage {
  /** What it is, with versions. */
  readonly description: string;
  readonly url: string;
  readonly caPem: string;
  /** Of whoever fills it and looks on, with every right. */
  readonly api: ContractClient;
  identityFor(user: StageUser): Promise<Identity>;
  kubeconfigFor(user: StageUser): Promise<string>;
  /** As a pod of the user has it. */
  tokenFor(user: StageUser): Promise<string>;
  /** All that a user has asked so far, in order; a watch counts when it begins. */
  requestsOf(user: StageUser): Promise<readonly StageRequest[]>;
  stop(): Promise<void>;
}

/** Of which the server is in this process, for those who fill it without asking it. */
export interface SimulatedStage extends Stage {
  readonly server: ApiServer;
}

const ownNamespace = 'reroll';
const accountGroups = ['system:serviceaccounts', `system:serviceaccounts:${ownNamespace}`];

/** Of whoever fills the stage: more would only wait in the API server. */
const fillingSockets = 32;

/** The real control plane, with processes of its own. */
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

/** The simulated API server, in this process, served over TLS: for sizes that the real one would take too long for. */
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

/** @throws Error with the server's own words when it refuses. */
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

/** By RBAC and not by `system:masters`, whose requests the API server would prefer to all others. */
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
