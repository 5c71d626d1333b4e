import type { ContractClient } from '../apiserver/contract/contract-client';

interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

/**
 * API groups in which every user may ask for their own rights (ClusterRole system:basic-user). They give no right over
 * any object.
 */
const ofEveryone = new Set(['authorization.k8s.io', 'authentication.k8s.io']);

/**
 * All that a user may do in a namespace, as reported by the API server's authorizers. Sorted, one entry for each verb,
 * resource and name, such as `get secrets/reroll-ca` and `create jobs.batch`.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/authorization-resources/self-subject-rules-review-v1/
 */
export async function rightsIn(user: ContractClient, namespace: string): Promise<readonly string[]> {
  const { body } = await user.post('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectRulesReview',
    spec: { namespace },
  });
  const status = body['status'] as unknown as {
    readonly resourceRules: readonly ResourceRule[];
    readonly incomplete: boolean;
  };
  if (status.incomplete) throw new Error(`the API server cannot tell all rights in ${namespace}`);
  return [...new Set(status.resourceRules.flatMap(rightsOf))].sort();
}

function rightsOf({ verbs, apiGroups = [], resources = [], resourceNames = [] }: ResourceRule): readonly string[] {
  return apiGroups
    .filter((group) => !ofEveryone.has(group))
    .flatMap((group) => resources.map((resource) => (group === '' ? resource : `${resource}.${group}`)))
    .flatMap((resource) =>
      resourceNames.length === 0 ? [resource] : resourceNames.map((name) => `${resource}/${name}`),
    )
    .flatMap((what) => verbs.map((verb) => `${verb} ${what}`));
}
