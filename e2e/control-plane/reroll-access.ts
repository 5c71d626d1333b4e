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

/** What `grantRerollAccess` may be told; everything has a default. */
export interface RerollAccessOptions {
  /** The namespace that Reroll itself lives in: its leases and its own secrets are there. */
  readonly namespace?: string;
  /** Rights that one test needs beyond the minimum, in all namespaces. */
  readonly extraRules?: readonly PolicyRule[];
}

/** On everything that tests create in the cluster as a whole, so that an existing cluster can be cleaned up. */
export const ownedLabel = { key: 'app.kubernetes.io/managed-by', value: 'reroll-e2e' } as const;

/** The manifest that users apply: what is tested is what they get. */
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

/** Creates Reroll's namespace if need be, and gives the user `reroll` the rights that Reroll needs, and no more. */
export async function grantRerollAccess(cluster: Cluster, options: RerollAccessOptions = {}): Promise<void> {
  const namespace = options.namespace ?? 'reroll';
  // Created rather than applied: a namespace that is there already is not ours, so it must not get the label.
  if ((await cluster.kubectl(['get', 'namespace', namespace, '--ignore-not-found', '-o', 'name'])) === '') {
    await cluster.kubectl(['create', '-f', '-'], { stdin: stringify(namespaceObject(namespace)) });
  }
  const objects = accessObjects(namespace, options.extraRules ?? []);
  await cluster.kubectl(['apply', '-f', '-'], { stdin: objects.map((object) => stringify(object)).join('---\n') });
}

/** Removes from a cluster whatever `grantRerollAccess` created in it. */
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
