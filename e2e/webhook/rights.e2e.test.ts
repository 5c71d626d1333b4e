import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ownNamespace, RerollCluster } from './reroll-cluster';

let cluster: RerollCluster;

beforeAll(async () => {
  cluster = await RerollCluster.start();
});

afterAll(async () => await cluster.stop());

/** Asks the API server whether a service account of Reroll may do something in Reroll's namespace. */
async function mayDo(account: string, [verb, resource, name]: readonly string[]): Promise<boolean> {
  const group = resource?.endsWith('configurations') === true ? 'admissionregistration.k8s.io' : '';
  const { body } = await cluster.admin.post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: {
      user: `system:serviceaccount:${ownNamespace}:${account}`,
      resourceAttributes: { namespace: ownNamespace, verb, group, resource, name },
    },
  });
  return (body['status'] as { readonly allowed: boolean }).allowed;
}

describe.each([
  [
    'reroll-certs',
    {
      may: [
        ...['reroll-ca', 'reroll-certs', 'reroll-webhook-token'].flatMap((name) => [
          ['get', 'secrets', name],
          ['update', 'secrets', name],
        ]),
        ['patch', 'validatingwebhookconfigurations', 'reroll'],
        ['patch', 'mutatingwebhookconfigurations', 'reroll'],
      ],
      mayNot: [
        ['get', 'secrets', 'reroll-digest-key'],
        ['list', 'secrets', ''],
        ['create', 'secrets', ''],
        ['delete', 'secrets', 'reroll-certs'],
        ['patch', 'validatingwebhookconfigurations', 'other'],
        ['update', 'validatingwebhookconfigurations', 'reroll'],
      ],
    },
  ],
  [
    'reroll-webhook',
    {
      may: [
        ['get', 'secrets', 'reroll-digest-key'],
        ['watch', 'secrets', 'reroll-certs'],
        ['watch', 'secrets', 'reroll-webhook-token'],
        ['get', 'configmaps', 'schema'],
      ],
      mayNot: [
        ['get', 'secrets', 'other'],
        ['get', 'secrets', 'reroll-ca'],
        ['watch', 'secrets', 'reroll-ca'],
        ['list', 'secrets', ''],
        ['create', 'secrets', ''],
        ['update', 'secrets', 'reroll-certs'],
        ['list', 'configmaps', ''],
        ['update', 'configmaps', 'schema'],
        ['patch', 'validatingwebhookconfigurations', 'reroll'],
      ],
    },
  ],
])('%s', (account, { may, mayNot }) => {
  it.each(may)('may %s %s %s', async (...what) => expect(await mayDo(account, what)).toBe(true));
  it.each(mayNot)('may not %s %s %s', async (...what) => expect(await mayDo(account, what)).toBe(false));
});
