import { uniqueRequests, type AuditEntry } from '../control-plane/audit';
import { reconcilerUser, type RerollCluster } from '../webhook/reroll-cluster';

const workloads: ReadonlySet<string> = new Set(['deployments', 'statefulsets']);

/** The PATCHes of workloads that the reconciler has sent to a namespace, in order. */
export async function workloadWrites({ plane }: RerollCluster, namespace: string): Promise<readonly AuditEntry[]> {
  const entries = uniqueRequests(await plane.auditEntries({ user: reconcilerUser }));
  return entries.filter(
    ({ verb, objectRef }) =>
      verb === 'patch' && objectRef?.namespace === namespace && workloads.has(objectRef.resource),
  );
}
