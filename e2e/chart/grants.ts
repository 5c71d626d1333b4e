import type { ContractClient } from '../apiserver/contract/contract-client';
import type { PolicyRule } from '../apiserver/rbac';
import { ownNamespace } from '../webhook/reroll-cluster';
import type { Grant } from './rights-used';

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
}

interface Role {
  readonly metadata: Metadata;
  readonly rules: readonly PolicyRule[];
}

interface Binding {
  readonly metadata: Metadata;
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
}

const api = '/apis/rbac.authorization.k8s.io/v1';

/** The grants of ServiceAccounts in Reroll's namespace; Roles with the same name and rules become one grant. */
export async function grantsOfOurs(admin: ContractClient): Promise<readonly Grant[]> {
  const list = async <T>(plural: string): Promise<readonly T[]> =>
    ((await admin.get(`${api}/${plural}`)).body as unknown as { readonly items: readonly T[] }).items;
  const grants = new Map<string, Grant & { readonly namespaces: Set<string> | undefined }>();
  for (const [bindings, roles] of [
    [await list<Binding>('clusterrolebindings'), await list<Role>('clusterroles')],
    [await list<Binding>('rolebindings'), await list<Role>('roles')],
  ] as const) {
    for (const { metadata, roleRef, subjects = [] } of bindings) {
      const account = subjects.find((each) => each.kind === 'ServiceAccount' && each.namespace === ownNamespace)?.name;
      const role = roles.find(
        (each) => each.metadata.name === roleRef.name && each.metadata.namespace === metadata.namespace,
      );
      if (account === undefined || !role) continue;
      const key = JSON.stringify([account, roleRef.name, role.rules]);
      const known = grants.get(key);
      if (known?.namespaces && metadata.namespace !== undefined) known.namespaces.add(metadata.namespace);
      else {
        const namespaces = metadata.namespace === undefined ? undefined : new Set([metadata.namespace]);
        grants.set(key, { account, role: roleRef.name, namespaces, rules: role.rules });
      }
    }
  }
  return [...grants.values()];
}
