import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { type Cluster, rerollUser } from './cluster';

/** One rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** Options of `grantRerollAccess`; everything has a default. */
export interface RerollAccessOptions {
  /** Reroll's own namespace, which holds its leases and its own Secrets. */
  readonly namespace?: string;
  /** Additional rights for one test, in all namespaces. */
  readonly extraRules?: readonly PolicyRule[];
}

/** The label of everything that `grantRerollAccess` creates, so that an existing cluster can be cleaned up. */
export const ownedLabel = { key: 'app.kubernetes.io/managed-by', value: 'reroll-e2e' } as const;

/** The manifest that users apply, so that tests run with the rights that users grant. */
const manifest = join(__dirname, '..', '..', 'deploy', 'rbac.yaml');

function rulesOf(kind: 'ClusterRole' | 'Role'): readonly PolicyRule[] {
  const documents = parseAllDocuments(readFileSync(manifest, 'utf8'));
  const objects = documents.map(
    (document) => document.toJS() as { readonly kind: string; readonly rules: PolicyRule[] },
  );
  const role = objects.find((object) => object.kind === kind);
  if (!role) throw new Error(`${manifest} has no ${kind}`);
  return role.rules;
}

/** Creates Reroll's namespace if needed, and grants the user `reroll` exactly Reroll's rights and the `extraRules`. */
export async function grantRerollAccess(cluster: Cluster, options: RerollAccessOptions = {}): Promise<void> {
  const namespace = options.namespace ?? 'reroll';
  // Created, not applied: a namespace that exists already is not ours, so it must not get the label.
  if ((await cluster.kubectl(['get', 'namespace', namespace, '--ignore-not-found', '-o', 'name'])) === '') {
    await cluster.kubectl(['create', '-f', '-'], { stdin: stringify(namespaceObject(namespace)) });
  }
  const objects = accessObjects(namespace, options.extraRules ?? []);
  await cluster.kubectl(['apply', '-f', '-'], { stdin: objects.map((object) => stringify(object)).join('---\n') });
}

/** Removes everything that `grantRerollAccess` created in a cluster. */
export async function revokeRerollAccess(cluster: Pick<Cluster, 'kubectl'>): Promise<void> {
  const selector = `${ownedLabel.key}=${ownedLabel.value}`;
  const kinds = 'clusterrolebindings,clusterroles,rolebindings,roles';
  await cluster.kubectl(['delete', kinds, '--all-namespaces', '-l', selector]);
  await cluster.kubectl(['delete', 'namespaces', '-l', selector], { timeoutMs: 120_000 });
}

function accessObjects(namespace: string, extraRules: readonly PolicyRule[]): object[] {
  const role = { apiGroup: 'rbac.authorization.k8s.io', name: 'reroll-e2e' };
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: rerollUser }];
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const labels = { [ownedLabel.key]: ownedLabel.value };
  const everywhere = { name: role.name, labels };
  const inNamespace = { ...everywhere, namespace };
  return [
    { apiVersion, kind: 'ClusterRole', metadata: everywhere, rules: [...rulesOf('ClusterRole'), ...extraRules] },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: everywhere,
      roleRef: { ...role, kind: 'ClusterRole' },
      subjects,
    },
    { apiVersion, kind: 'Role', metadata: inNamespace, rules: rulesOf('Role') },
    { apiVersion, kind: 'RoleBinding', metadata: inNamespace, roleRef: { ...role, kind: 'Role' }, subjects },
  ];
}

function namespaceObject(name: string): object {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { [ownedLabel.key]: ownedLabel.value } } };
}
