import { rollbackRules } from '../cluster/kept-content';

const rbac = 'rbac.authorization.k8s.io';
const apiVersion = `${rbac}/v1`;

/** What somebody may read who looks after workloads. As in most clusters, nobody granted the kinds of add-ons that are not there. */
export const readingRole = {
  ...{ apiVersion, kind: 'ClusterRole', metadata: { name: 'reading' } },
  rules: [
    { apiGroups: ['apps'], resources: ['deployments', 'statefulsets', 'daemonsets'], verbs: ['get', 'list'] },
    { apiGroups: ['batch'], resources: ['jobs', 'cronjobs'], verbs: ['get', 'list'] },
    { apiGroups: [''], resources: ['configmaps', 'secrets', 'events', 'namespaces', 'pods'], verbs: ['get', 'list'] },
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get'] },
  ],
} as const;

/** What somebody needs besides, who holds restarts. */
export const pausingRole = {
  ...{ apiVersion, kind: 'ClusterRole', metadata: { name: 'pausing' } },
  rules: [
    { apiGroups: ['apps'], resources: ['deployments', 'statefulsets', 'daemonsets'], verbs: ['patch'] },
    { apiGroups: [''], resources: ['configmaps', 'secrets', 'namespaces'], verbs: ['patch'] },
  ],
} as const;

/** What a reconciler needs besides, that keeps contents. */
export const keepingRole = {
  ...{ apiVersion, kind: 'ClusterRole', metadata: { name: 'keeping' } },
  rules: rollbackRules,
} as const;

/** What somebody needs in Reroll's namespace, who holds everything. */
export function holdRole(user: string, namespace: string): readonly object[] {
  const named = { resourceNames: ['reroll-hold'], verbs: ['get', 'patch', 'delete'] };
  const role = {
    ...{ apiVersion, kind: 'Role', metadata: { name: 'hold-reroll', namespace } },
    rules: [
      { apiGroups: [''], resources: ['configmaps'], ...named },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
    ],
  };
  return [role, bindingOf(user, role, namespace)];
}

interface RoleObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** Binds a role to a user, in one namespace or everywhere. */
export function bindingOf(user: string, { kind, metadata: { name } }: RoleObject, namespace?: string): object {
  return {
    ...{ apiVersion, kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding' },
    metadata: { name: `${name}-${user}`, namespace },
    roleRef: { apiGroup: rbac, kind, name },
    subjects: [{ apiGroup: rbac, kind: 'User', name: user }],
  };
}

/** The role of docs/command-line.md, with which somebody asks the leader. */
export function askRole(user: string, namespace: string): readonly object[] {
  const role = {
    ...{ apiVersion, kind: 'Role', metadata: { name: 'ask-reroll', namespace } },
    rules: [
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], resourceNames: ['reroll'], verbs: ['get'] },
      { apiGroups: [''], resources: ['pods/portforward'], verbs: ['get', 'create'] },
    ],
  };
  return [role, bindingOf(user, role, namespace)];
}

/** The rights of a reconciler that nobody lets write workloads. */
export function readOnlyRole(user: string, ownNamespace: string): readonly object[] {
  const everywhere = {
    ...{ apiVersion, kind: 'ClusterRole', metadata: { name: 'read-all' } },
    rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] }],
  };
  const own = {
    ...{ apiVersion, kind: 'Role', metadata: { name: 'own', namespace: ownNamespace } },
    rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
  };
  return [everywhere, bindingOf(user, everywhere), own, bindingOf(user, own, ownNamespace)];
}
