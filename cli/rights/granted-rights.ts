import { fieldAt, listOf, objectOf, textOf, textsOf } from '../../shared/domain/kubernetes/json-value';
import { getObject, listObjects, type KubeObject, type RequestLimits } from '../../shared/kube/client/objects';
import type { KubeClient } from '../../shared/kube/client/client';
import { undefinedIfNotFound } from '../../shared/kube/errors';
import type { Resource } from '../../shared/kube/resource';
import { look, type Seen } from '../evidence/seen';

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const;
const clusterRoleBindings: Resource = { ...rbac, plural: 'clusterrolebindings' };
const roleBindings: Resource = { ...rbac, plural: 'rolebindings' };
const clusterRoles: Resource = { ...rbac, plural: 'clusterroles' };
const roles: Resource = { ...rbac, plural: 'roles' };

/** A rule of a role that is bound to an account, with where it holds. */
export interface GrantedRule {
  /** `ClusterRole reroll` or `Role reroll/reroll`. */
  readonly role: string;
  /** Undefined: everywhere. */
  readonly namespace: string | undefined;
  /** The account is bound by its name, and not by a group that other accounts belong to. */
  readonly isOwn: boolean;
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  readonly names: readonly string[];
  readonly verbs: readonly string[];
}

export interface Account {
  readonly namespace: string;
  readonly name: string;
}

/** The rules of all roles that are bound to an account, in the whole cluster and in some namespaces. */
export async function grantedRules(
  client: KubeClient,
  account: Account,
  namespaces: readonly string[],
  limits: RequestLimits,
): Promise<Seen<readonly GrantedRule[]>> {
  return await look(readRules(client, account, namespaces, limits));
}

async function readRules(
  client: KubeClient,
  account: Account,
  namespaces: readonly string[],
  limits: RequestLimits,
): Promise<readonly GrantedRule[]> {
  const lists = await Promise.all([
    listObjects(client, clusterRoleBindings, undefined, limits),
    ...namespaces.map(async (namespace) => await listObjects(client, roleBindings, namespace, limits)),
  ]);
  const bindings = lists.flat().flatMap((binding) => {
    const how = howBound(binding, account);
    return how === undefined ? [] : [{ binding, isOwn: how === 'by-name' }];
  });
  const rules = await Promise.all(
    bindings.map(async ({ binding, isOwn }) => {
      const { namespace } = binding.metadata;
      const isCluster = fieldAt(binding, ['roleRef', 'kind']) === 'ClusterRole';
      const name = textOf(fieldAt(binding, ['roleRef', 'name'])) ?? '';
      const role = isCluster ? `ClusterRole ${name}` : `Role ${namespace ?? ''}/${name}`;
      const resource = isCluster ? clusterRoles : roles;
      // A role that is bound and not there grants nothing.
      const object = await getObject(client, resource, isCluster ? undefined : namespace, name, limits).catch(
        undefinedIfNotFound,
      );
      return object ? rulesOf(object, { role, namespace, isOwn }) : [];
    }),
  );
  return rules.flat();
}

function howBound(binding: KubeObject, { namespace, name }: Account): 'by-name' | 'by-group' | undefined {
  const subjects = listOf(binding['subjects']).map(objectOf);
  const user = `system:serviceaccount:${namespace}:${name}`;
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  const isNamed = subjects.some(
    (subject) =>
      (subject['kind'] === 'ServiceAccount' && subject['name'] === name && subject['namespace'] === namespace) ||
      (subject['kind'] === 'User' && subject['name'] === user),
  );
  if (isNamed) return 'by-name';
  return subjects.some(({ kind, name: group }) => kind === 'Group' && groups.includes(textOf(group) ?? ''))
    ? 'by-group'
    : undefined;
}

function rulesOf(role: KubeObject, grant: Pick<GrantedRule, 'role' | 'namespace' | 'isOwn'>): readonly GrantedRule[] {
  return listOf(role['rules'])
    .map(objectOf)
    .filter((rule) => listOf(rule['resources']).length > 0)
    .map((rule) => ({
      ...grant,
      groups: textsOf(rule['apiGroups']),
      resources: textsOf(rule['resources']),
      names: textsOf(rule['resourceNames']),
      verbs: textsOf(rule['verbs']),
    }));
}
