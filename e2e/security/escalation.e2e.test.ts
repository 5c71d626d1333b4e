import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { configMap, deployment, secret } from '../apiserver/cluster';
import type { ContractClient } from '../apiserver/contract/contract-client';
import { namespace, ownNamespace, RerollCluster } from '../webhook/reroll-cluster';
import { closedToAll, closedToCerts, closedToWebhook, closedToWebhookAndCerts } from './escalations';
import { rightsIn } from './rules-review';

let cluster: RerollCluster;
const accounts = { reconciler: 'reroll', webhook: 'reroll-webhook', certs: 'reroll-certs' } as const;
type Room = keyof typeof accounts;

beforeAll(async () => {
  cluster = await RerollCluster.start(['validating', 'mutating']);
  // Attempts must not fail only because their object does not exist.
  await cluster.apply(
    configMap({ name: 'other', namespace }),
    secret({ name: 'other', namespace }),
    deployment({ name: 'other', namespace }),
    secret({ name: 'reroll-journal-key', namespace: ownNamespace }),
  );
});

afterAll(async () => await cluster.stop());

async function clientOf(room: Room): Promise<ContractClient> {
  return cluster.clientOf(await cluster.identityOf(accounts[room]));
}

const registrations = ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'].flatMap((plural) =>
  ['get', 'patch'].map((verb) => `${verb} ${plural}.admissionregistration.k8s.io/reroll`),
);

const ofReconciler = [
  ...['configmaps', 'secrets'].flatMap((resource) => ['get', 'list', 'watch'].map((verb) => `${verb} ${resource}`)),
  ...['deployments.apps', 'statefulsets.apps', 'daemonsets.apps', 'cronjobs.batch', 'jobs.batch'].flatMap((resource) =>
    ['get', 'list', 'watch', 'patch'].map((verb) => `${verb} ${resource}`),
  ),
  ...['rollouts.argoproj.io', 'deploymentconfigs.apps.openshift.io'].flatMap((resource) =>
    ['get', 'list', 'watch', 'patch'].map((verb) => `${verb} ${resource}`),
  ),
  ...['secretproviderclasses', 'secretproviderclasspodstatuses'].flatMap((resource) =>
    ['list', 'watch'].map((verb) => `${verb} ${resource}.secrets-store.csi.x-k8s.io`),
  ),
  ...['create jobs.batch', 'delete jobs.batch', 'get services'],
  ...['create events', 'list namespaces', 'watch namespaces'],
];

const historyConfigMaps = Array.from({ length: 8 }, (_, index) => `reroll-history-${String(index)}`);

/** All rights, by account and namespace. A right that is added anywhere has to be added here, too. */
const matrix: readonly [Room, string, readonly string[]][] = [
  ['reconciler', namespace, ofReconciler],
  [
    'reconciler',
    ownNamespace,
    [
      ...ofReconciler,
      ...['get', 'create', 'update'].map((verb) => `${verb} leases.coordination.k8s.io`),
      ...['create', 'update', 'delete'].map((verb) => `${verb} secrets`),
      'create configmaps',
      ...['list', 'watch'].map((verb) => `${verb} configmaps/reroll-hold`),
      ...historyConfigMaps.flatMap((name) => [`get configmaps/${name}`, `update configmaps/${name}`]),
    ],
  ],
  ['webhook', namespace, ['get configmaps']],
  [
    'webhook',
    ownNamespace,
    [
      'get configmaps',
      'get secrets/reroll-digest-key',
      ...['reroll-certs', 'reroll-webhook-token'].flatMap((name) => [`list secrets/${name}`, `watch secrets/${name}`]),
      ...['list', 'watch'].map((verb) => `${verb} endpointslices.discovery.k8s.io`),
    ],
  ],
  ['certs', namespace, registrations],
  [
    'certs',
    ownNamespace,
    [
      ...registrations,
      ...['reroll-ca', 'reroll-certs', 'reroll-webhook-token'].flatMap((name) => [
        `get secrets/${name}`,
        `update secrets/${name}`,
      ]),
    ],
  ],
];

it.each(matrix)('all that the account of %s may do in the namespace %s', async (room, where, rights) => {
  expect(await rightsIn(await clientOf(room), where)).toEqual([...rights].sort());
});

const closed = {
  reconciler: closedToAll,
  webhook: [...closedToAll, ...closedToWebhookAndCerts, ...closedToWebhook],
  certs: [...closedToAll, ...closedToWebhookAndCerts, ...closedToCerts],
} as const;

describe.each(['reconciler', 'webhook', 'certs'] as const)('who has taken over the account of %s', (room) => {
  it.each(closed[room])('cannot $what', async ({ attempt }) => {
    expect((await attempt(await clientOf(room))).status).toBe(403);
  });
});
