import { configMap } from '../apiserver/cluster';
import { merge, type ContractClient } from '../apiserver/contract/contract-client';
import { pollUntil } from '../control-plane/poll';
import type { ClusterUnderTest } from './cluster-under-test';
import { namespace } from './reroll-cluster';

/** Refuses writes after mutating webhooks have admitted them. */
const policy = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'no-pink' },
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['configmaps'] }],
    },
    validations: [{ expression: '!has(object.data) || !("color" in object.data) || object.data.color != "pink"' }],
  },
};
const binding = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: 'no-pink' },
  spec: { policyName: 'no-pink', validationActions: ['Deny'] },
};

/** From now on, updates that make a ConfigMap pink are refused, but only after mutating webhooks have seen them. */
export async function refusePink(cluster: ClusterUnderTest, user: ContractClient): Promise<void> {
  await cluster.apply(policy, binding, configMap({ name: 'probe', namespace }));
  await pollUntil('the policy to be in force', async () => {
    const path = `/api/v1/namespaces/${namespace}/configmaps/probe?dryRun=All`;
    return (await user.patch(path, merge, { data: { color: 'pink' } })).status === 422 ? true : undefined;
  });
}
