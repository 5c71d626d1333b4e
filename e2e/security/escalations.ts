import type { Answer, ContractClient } from '../apiserver/contract/contract-client';
import { jsonPatch, merge } from '../apiserver/contract/contract-client';

/** One way for an account to gain more than its own rights. */
export interface Escalation {
  /** Completes the sentence "cannot …". */
  readonly what: string;
  readonly attempt: (account: ContractClient) => Promise<Answer>;
}

const own = '/api/v1/namespaces/reroll';
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const registrations = '/apis/admissionregistration.k8s.io/v1';

const privileged = {
  containers: [{ name: 'c', image: 'evil', securityContext: { privileged: true } }],
  hostPID: true,
};
const toAdmin = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
const subjects = [{ kind: 'ServiceAccount', namespace: 'reroll', name: 'reroll-webhook' }];

function named(name: string): { readonly metadata: { readonly name: string } } {
  return { metadata: { name } };
}

function post(what: string, path: string, body: object): Escalation {
  return { what, attempt: async (account) => await account.post(path, body) };
}

function get(what: string, path: string): Escalation {
  return { what, attempt: async (account) => await account.get(path) };
}

function patch(what: string, path: string, body: object): Escalation {
  return { what, attempt: async (account) => await account.patch(path, merge, body) };
}

/** What no account may do, including the reconciler's. */
export const closedToAll: readonly Escalation[] = [
  post('create a pod beside itself', `${own}/pods`, { ...named('evil'), spec: privileged }),
  post('create a pod in kube-system', '/api/v1/namespaces/kube-system/pods', { ...named('evil'), spec: privileged }),
  post('request a token of the reconciler', `${own}/serviceaccounts/reroll/token`, { spec: {} }),
  post('request a token in kube-system', '/api/v1/namespaces/kube-system/serviceaccounts/default/token', { spec: {} }),
  post('bind itself to cluster-admin', `${rbac}/clusterrolebindings`, { ...named('evil'), roleRef: toAdmin, subjects }),
  post('bind itself in a namespace', `${rbac}/namespaces/shop/rolebindings`, {
    ...{ ...named('evil'), roleRef: toAdmin, subjects },
  }),
  post('make a role', `${rbac}/clusterroles`, {
    ...named('evil'),
    rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
  }),
  patch('widen its own role', `${rbac}/namespaces/reroll/roles/reroll-webhook`, {
    rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
  }),
  post('register a webhook of its own', `${registrations}/mutatingwebhookconfigurations`, {
    ...named('evil'),
    webhooks: [],
  }),
  patch('change the webhook of somebody else', `${registrations}/validatingwebhookconfigurations/other`, {
    webhooks: [],
  }),
  post('ask for a client certificate', '/apis/certificates.k8s.io/v1/certificatesigningrequests', {
    ...named('evil'),
    spec: { request: 'LQ==', signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] },
  }),
  post('run a command in a pod', `${own}/pods/any/exec?command=id`, {}),
  patch('add a container to a running pod', `${own}/pods/any/ephemeralcontainers`, { spec: privileged }),
  get('read through the kubelet', '/api/v1/nodes/node-0/proxy/pods'),
  patch('change a namespace', '/api/v1/namespaces/kube-system', { metadata: { labels: { a: 'b' } } }),
  post('write a ConfigMap of others', '/api/v1/namespaces/shop/configmaps', named('evil')),
  patch('change a ConfigMap of others', '/api/v1/namespaces/shop/configmaps/other', { data: { a: 'b' } }),
  post('write a Secret of others', '/api/v1/namespaces/shop/secrets', named('evil')),
  patch('change a Secret of others', '/api/v1/namespaces/shop/secrets/other', { data: { a: 'Yg==' } }),
  post('make an account', `${own}/serviceaccounts`, named('evil')),
  patch('switch the hold of everything off', `${own}/configmaps/reroll-hold`, {
    metadata: { annotations: { 'reroll.dev/hold': 'false' } },
  }),
  {
    what: 'lift the hold of everything',
    attempt: async (account) => await account.delete(`${own}/configmaps/reroll-hold`),
  },
  patch('hold a namespace', '/api/v1/namespaces/shop', { metadata: { annotations: { 'reroll.dev/hold': 'true' } } }),
];

/** What neither the webhook nor `reroll certs` may do. */
export const closedToWebhookAndCerts: readonly Escalation[] = [
  post('make a Secret that passes for an entry of the journal', `${own}/secrets`, {
    metadata: { name: 'reroll-job-aaaaaaaaaaaaaaaa', labels: { 'reroll.dev/journal': 'job' } },
  }),
  post('make a Secret that is a token of the reconciler', `${own}/secrets`, {
    metadata: { name: 'evil', annotations: { 'kubernetes.io/service-account.name': 'reroll' } },
    type: 'kubernetes.io/service-account-token',
  }),
  post('make a ConfigMap in our namespace', `${own}/configmaps`, named('evil')),
  post('hold everything', `${own}/configmaps`, named('reroll-hold')),
  post('make a Job', '/apis/batch/v1/namespaces/kube-system/jobs', {
    ...named('evil'),
    spec: { template: { spec: { ...privileged, restartPolicy: 'Never' } } },
  }),
  get('list the Secrets of our namespace', `${own}/secrets`),
  get('list the Secrets of the cluster', '/api/v1/secrets'),
  get('read the key of the journal', `${own}/secrets/reroll-journal-key`),
  get('find the key of the journal by a list', `${own}/secrets?fieldSelector=metadata.name%3Dreroll-journal-key`),
  get('read a Secret of others', '/api/v1/namespaces/shop/secrets/other'),
  patch('restart a workload', '/apis/apps/v1/namespaces/shop/deployments/other', { metadata: { labels: { a: 'b' } } }),
  patch('change its own pods', '/apis/apps/v1/namespaces/reroll/deployments/reroll-webhook', {
    spec: { template: { spec: { serviceAccountName: 'reroll' } } },
  }),
  patch('take the lease', '/apis/coordination.k8s.io/v1/namespaces/reroll/leases/reroll', {
    spec: { holderIdentity: 'evil' },
  }),
  patch('change the digest key', `${own}/secrets/reroll-digest-key`, { data: { key: 'AAAA' } }),
  {
    what: 'delete the digest key',
    attempt: async (account) => await account.delete(`${own}/secrets/reroll-digest-key`),
  },
];

/** What the webhook may not do, because it belongs to `reroll certs`. */
export const closedToWebhook: readonly Escalation[] = [
  get('read the key of the CA', `${own}/secrets/reroll-ca`),
  get('find the key of the CA by a list', `${own}/secrets?fieldSelector=metadata.name%3Dreroll-ca`),
  patch('change the token', `${own}/secrets/reroll-webhook-token`, { data: { 'tokens.json': 'AAAA' } }),
  patch('change the certificates', `${own}/secrets/reroll-certs`, { data: { 'ca.crt': 'AAAA' } }),
  {
    what: 'change its own registration',
    attempt: async (account) =>
      await account.patch(`${registrations}/validatingwebhookconfigurations/reroll`, jsonPatch, [
        { op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Fail' },
      ]),
  },
  get('read its own registration, and the path in it', `${registrations}/validatingwebhookconfigurations/reroll`),
];

/** What `reroll certs` may not read, although the webhook may. */
export const closedToCerts: readonly Escalation[] = [
  get('read the digest key', `${own}/secrets/reroll-digest-key`),
  get('read a ConfigMap of others', '/api/v1/namespaces/shop/configmaps/other'),
];
