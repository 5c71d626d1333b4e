import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { configMap, deployment, secret } from '../apiserver/cluster';
import { merge, type Answer, type ContractClient } from '../apiserver/contract/contract-client';
import type { JsonObject } from '../apiserver/json';
import { pollUntil } from '../control-plane/poll';
import { admissionCounts, admissionFailures, noFailures } from './admission-counts';
import { namespace, RerollCluster } from './reroll-cluster';

/** One write, and the object that exists before it. Each row gets its own name for its objects. */
interface Row {
  readonly what: string;
  readonly before?: (name: string) => JsonObject;
  readonly write: (name: string) => Promise<Answer>;
}

let cluster: RerollCluster;
let alice: ContractClient;
/** A client with the service account of the reconciler, but with more rights. */
let ourselves: ContractClient;

const red = { color: 'red' };
const blue = { data: { color: 'blue' } };
const blueSecret = { data: { color: Buffer.from('blue').toString('base64') } };
const leaderLock = { 'control-plane.alpha.kubernetes.io/leader': '{"holderIdentity":"a"}' };

const redConfigMap = (name: string): JsonObject => configMap({ name, namespace, data: red });
const redSecret = (name: string): JsonObject => secret({ name, namespace, data: red });
const emptySecret = (name: string): JsonObject => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } });
const helmRelease = (name: string): JsonObject =>
  secret({ name, namespace, data: red, type: 'helm.sh/release.v1', labels: { owner: 'helm', status: 'deployed' } });
const accountToken = (name: string): JsonObject =>
  secret({
    ...{ name, namespace, data: red, type: 'kubernetes.io/service-account-token' },
    annotations: { 'kubernetes.io/service-account.name': 'default' },
  });
const generated = (object: JsonObject): JsonObject => ({ ...object, metadata: { namespace, generateName: 'some-' } });

const configMaps = (name = '', within = namespace): string => `/api/v1/namespaces/${within}/configmaps/${name}`;
const secrets = (name = ''): string => `/api/v1/namespaces/${namespace}/secrets/${name}`;

const checked = (name: string): JsonObject =>
  configMap({ name, namespace, data: red, annotations: { 'reroll.dev/max-bytes': '1Ki' } });

const onConfigMap = (what: string, body: object, before = redConfigMap): Row => ({
  ...{ what, before },
  write: async (name) => await alice.patch(configMaps(name), merge, body),
});
const onSecret = (what: string, body: object, before = redSecret): Row => ({
  ...{ what, before },
  write: async (name) => await alice.patch(secrets(name), merge, body),
});
const creation = (what: string, path: string, object: (name: string) => JsonObject): Row => ({
  what,
  write: async (name) => await alice.post(path, object(name)),
});

const changesOfConfigMaps: readonly Row[] = [
  onConfigMap('a key changed', blue),
  onConfigMap('a key added', { data: { size: 'L' } }),
  onConfigMap('a key removed', { data: { color: null } }),
  onConfigMap('all data removed', { data: null }),
  onConfigMap('binaryData added', { binaryData: { logo: 'AAAA' } }),
  onConfigMap('data moved to binaryData', { data: null, binaryData: { color: 'cmVk' } }),
  onConfigMap('a leader lock renewed and a key changed', { ...blue, metadata: { annotations: leaderLock } }),
  {
    ...{ what: 'replaced with PUT', before: redConfigMap },
    write: async (name) => await alice.put(configMaps(name), { ...redConfigMap(name), ...blue }),
  },
  {
    ...{ what: 'changed with server-side apply', before: redConfigMap },
    write: async (name) =>
      await alice.patch(`${configMaps(name)}?fieldManager=alice&force=true`, 'application/apply-patch+yaml', {
        ...redConfigMap(name),
        ...blue,
      }),
  },
  {
    ...{ what: 'changed in a dry run', before: redConfigMap },
    write: async (name) => await alice.patch(`${configMaps(name)}?dryRun=All`, merge, blue),
  },
  creation('created', configMaps(), redConfigMap),
  creation('created without data', configMaps(), (name) => ({ ...emptySecret(name), kind: 'ConfigMap' })),
  creation('created with generateName', configMaps(), () => generated(redConfigMap(''))),
  onConfigMap('a check asked for', { metadata: { annotations: { 'reroll.dev/validate': 'warn' } } }),
  onConfigMap('a hold', { metadata: { annotations: { 'reroll.dev/hold': 'true' } } }),
  onConfigMap('a slip in an annotation of ours', { metadata: { annotations: { 'reroll.dev/windws': 'Sat' } } }),
  onConfigMap('a check asked for otherwise', { metadata: { annotations: { 'reroll.dev/max-bytes': '9' } } }, checked),
  {
    ...{ what: 'the dry run of a change of what is checked', before: checked },
    write: async (name) => await alice.patch(`${configMaps(name)}?dryRun=All`, merge, blue),
  },
];

const changesOfSecrets: readonly Row[] = [
  onSecret('a key changed', blueSecret),
  onSecret('a key changed through stringData', { stringData: { color: 'blue' } }),
  onSecret('its first key', blueSecret, emptySecret),
  onSecret('that it is urgent', { metadata: { annotations: { 'reroll.dev/urgent': 'true' } } }),
  onSecret('all data removed', { data: null }),
  creation('created in a dry run', `${secrets()}?dryRun=All`, redSecret),
  creation('created with stringData', secrets(), (name) => ({ ...emptySecret(name), stringData: red })),
  creation('created with a type of its own', secrets(), (name) => ({ ...redSecret(name), type: 'example.com/own' })),
  creation('created with generateName', secrets(), () => generated(redSecret(''))),
];

const noChanges: readonly Row[] = [
  onConfigMap('a label on a ConfigMap', { metadata: { labels: { a: '1' } } }),
  onConfigMap('the leader lock in an annotation of a ConfigMap', { metadata: { annotations: leaderLock } }),
  onConfigMap('a ConfigMap written as it is', { data: red }),
  onConfigMap('a ConfigMap made immutable', { immutable: true }),
  onConfigMap('a label on what is checked', { metadata: { labels: { a: '1' } } }, checked),
  onConfigMap('a check no longer asked for', { metadata: { annotations: { 'reroll.dev/max-bytes': null } } }, checked),
  onSecret('an annotation on a Secret', { metadata: { annotations: { a: '1' } } }),
  onSecret('an annotation on a Secret without data', { metadata: { annotations: { a: '1' } } }, emptySecret),
  onSecret('a Secret written as it is through stringData', { stringData: red }),
  creation('a Helm release', secrets(), helmRelease),
  onSecret('a Helm release that changes', blueSecret, helmRelease),
  creation('the token of a service account', secrets(), accountToken),
  onSecret('the token of a service account that changes', blueSecret, accountToken),
  creation('a bootstrap token', secrets(), (name) => ({ ...redSecret(name), type: 'bootstrap.kubernetes.io/token' })),
  creation('the CA that Istio puts everywhere', configMaps(), () => redConfigMap('istio-ca-root-cert')),
  {
    ...{ what: 'a change of our own', before: redConfigMap },
    write: async (name) => await ourselves.patch(configMaps(name), merge, blue),
  },
];

const outOfScope: readonly Row[] = [
  ...['kube-system', 'kube-public', 'kube-node-lease', 'reroll'].map((within) =>
    creation(`a ConfigMap of ${within}`, configMaps('', within), (name) => ({
      ...redConfigMap(name),
      metadata: { name, namespace: within },
    })),
  ),
  {
    ...{ what: 'a ConfigMap deleted', before: redConfigMap },
    write: async (name) => await alice.delete(configMaps(name)),
  },
  {
    what: 'our annotation on a Deployment',
    before: (name) => deployment({ name, namespace }),
    write: async (name) =>
      await ourselves.patch(`/apis/apps/v1/namespaces/${namespace}/deployments/${name}`, merge, {
        metadata: { annotations: { 'reroll.dev/baseline': '{}' } },
      }),
  },
];

beforeAll(async () => {
  cluster = await RerollCluster.start(['mutating', 'validating']);
  alice = await cluster.editor('alice');
  ourselves = await cluster.editor('system:serviceaccount:reroll:reroll');
  await cluster.webhook();
  // The controller manager writes this ConfigMap with a delay.
  await pollUntil('the CA bundle of the namespace', async () =>
    (await cluster.admin.get(configMaps('kube-root-ca.crt'))).status === 200 ? true : undefined,
  );
});

afterAll(async () => await cluster.stop());

let rows = 0;

/** How much the counts of the API server grow with the write of a row, for each registration. */
async function growth({ before, write }: Row) {
  const name = `row-${String(rows++)}`;
  if (before) await cluster.apply(before(name));
  const countsBefore = await admissionCounts(cluster);
  const { status } = await write(name);
  expect(Math.floor(status / 100)).toBe(2);
  const countsAfter = await admissionCounts(cluster);
  return countsAfter.map(({ configmaps, secrets: ofSecrets, excluded }, type) => ({
    calls: {
      configmaps: configmaps - countsBefore[type]!.configmaps,
      secrets: ofSecrets - countsBefore[type]!.secrets,
    },
    excluded: excluded > countsBefore[type]!.excluded,
  }));
}

describe.each([
  ['a ConfigMap', changesOfConfigMaps, { calls: { configmaps: 1, secrets: 0 } }],
  ['a Secret', changesOfSecrets, { calls: { configmaps: 0, secrets: 1 } }],
  ['not called, by matchConditions', noChanges, { calls: { configmaps: 0, secrets: 0 }, excluded: true }],
  ['not called, by namespace, operation or kind', outOfScope, { calls: { configmaps: 0, secrets: 0 } }],
] as const)('%s', (_title, table, expected) => {
  it.each(table)('$what', async (row) => {
    // The mutating and the validating registration must behave alike.
    expect(await growth(row)).toMatchObject([expected, expected]);
  });
});

const auto = { 'reloader.stakater.com/auto': 'true' };
const controlled = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'none', controller: true }];

/** A workload with its pod template under `spec.template`. */
function workload(apiVersion: string, kind: string, metadata: JsonObject, template: JsonObject = {}): JsonObject {
  const labels = { app: 'a' };
  const podTemplate = {
    metadata: { labels, ...template },
    spec: { restartPolicy: kind === 'Job' ? 'Never' : 'Always', containers: [{ name: 'main', image: 'web:1' }] },
  };
  const selector = kind === 'ReplicationController' ? labels : { matchLabels: labels };
  const more = kind === 'Job' ? { suspend: true } : { replicas: 0, selector };
  return {
    apiVersion,
    kind,
    metadata: { namespace, generateName: 'row-', ...metadata },
    spec: { ...more, template: podTemplate },
  };
}

/** Creates an object in a dry run. */
async function created(plural: string, object: JsonObject): Promise<Answer> {
  const { apiVersion } = object as { readonly apiVersion: string };
  const api = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  return await alice.post(`${api}/namespaces/${namespace}/${plural}?dryRun=All`, object);
}

interface WorkloadRow {
  readonly what: string;
  readonly plural: string;
  readonly write: () => Promise<Answer>;
  readonly calls: 0 | 1;
}

const creationOf = (what: string, plural: string, object: JsonObject, calls: 0 | 1 = 1): WorkloadRow => ({
  ...{ what, plural, calls },
  write: async () => await created(plural, object),
});

/** A change that alice makes, in a dry run, to a Deployment that is opted in. */
const changeOf = (what: string, calls: 0 | 1, body: object, subresource = ''): WorkloadRow => ({
  ...{ what, plural: 'deployments', calls },
  write: async () => {
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${changed}${subresource}`;
    return await alice.patch(`${path}?dryRun=All`, merge, body);
  },
});

const changed = 'changed';
const template = (body: object): object => ({ spec: { template: body } });

const workloadRows: readonly WorkloadRow[] = [
  creationOf('a Deployment', 'deployments', workload('apps/v1', 'Deployment', { annotations: auto })),
  creationOf(
    'one whose pod template asks',
    'deployments',
    workload('apps/v1', 'Deployment', {}, { annotations: auto }),
  ),
  creationOf(
    'one with a slip in the prefix',
    'deployments',
    workload('apps/v1', 'Deployment', { annotations: { 'reloader.stakater.io/auto': 'true' } }),
  ),
  creationOf('one with a label', 'deployments', workload('apps/v1', 'Deployment', { labels: auto })),
  creationOf('one that says nothing', 'deployments', workload('apps/v1', 'Deployment', { annotations: { a: '1' } }), 0),
  creationOf('a Job', 'jobs', workload('batch/v1', 'Job', { annotations: auto })),
  creationOf(
    'a Job of a controller',
    'jobs',
    workload('batch/v1', 'Job', { annotations: auto, ownerReferences: controlled }),
    0,
  ),
  creationOf('a CronJob whose template of Jobs asks', 'cronjobs', {
    ...workload('batch/v1', 'CronJob', {}),
    spec: {
      schedule: '0 0 1 1 *',
      jobTemplate: {
        metadata: { annotations: auto },
        spec: (workload('batch/v1', 'Job', {}) as { readonly spec: JsonObject }).spec,
      },
    },
  }),
  creationOf('a ReplicaSet', 'replicasets', workload('apps/v1', 'ReplicaSet', { annotations: auto })),
  creationOf(
    'a ReplicaSet of a controller',
    'replicasets',
    workload('apps/v1', 'ReplicaSet', { annotations: auto, ownerReferences: controlled }),
    0,
  ),
  creationOf(
    'a ReplicationController',
    'replicationcontrollers',
    workload('v1', 'ReplicationController', { annotations: auto }),
  ),
  changeOf('an annotation', 1, { metadata: { annotations: { 'reroll.dev/settle': '1s' } } }),
  changeOf('a label', 1, { metadata: { labels: { a: '1' } } }),
  changeOf('the pod template', 1, template({ metadata: { labels: { b: '1' } } })),
  changeOf('the number of pods', 0, { spec: { replicas: 2 } }),
  changeOf('the number of pods by scale', 0, { spec: { replicas: 2 } }, '/scale'),
];

describe('a workload, by the validating registration', () => {
  beforeAll(async () => {
    await cluster.apply(deployment({ name: changed, namespace, annotations: auto, replicas: 0 }));
  });

  it.each(workloadRows)('$what: $calls', async ({ plural, write, calls }) => {
    const name = `${plural}.webhook.reroll.dev`;
    const called = async (): Promise<number> =>
      (await cluster.apiServerMetrics()).sum('apiserver_admission_webhook_request_total', { name, type: 'validating' });
    const before = await called();
    const { status } = await write();
    expect(Math.floor(status / 100)).toBe(2);
    expect(await called()).toBe(before + calls);
  });
});

it('no condition failed, and no call', async () => {
  expect(await admissionFailures(cluster)).toEqual(noFailures);
});
