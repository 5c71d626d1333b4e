import type { WorkloadKind } from '../../shared/domain/kubernetes/workload-kinds';
import type { KubeClient } from '../../shared/kube/client/client';
import { isServed } from '../../shared/kube/client/discovery';
import { listObjects, type KubeObject, type ListOptions, type RequestLimits } from '../../shared/kube/client/objects';
import { KubeError } from '../../shared/kube/errors';
import type { Resource } from '../../shared/kube/resource';
import { look, type Seen } from './seen';

/** What was read of objects of several kinds. */
export interface SeenKinds<T> {
  readonly values: readonly T[];
  /** Rights without which some kinds are missing. */
  readonly missingRights: readonly string[];
  /** Every kind that the API server serves is missing. */
  readonly isAllHidden: boolean;
}

const pageSize = 500;

/** Lists the workloads of some kinds, as far as they may be listed. */
export async function lookAtKinds<T>(
  client: KubeClient,
  kinds: readonly WorkloadKind[],
  namespace: string | undefined,
  options: ListOptions,
  read: (kind: WorkloadKind, object: KubeObject) => readonly T[],
): Promise<SeenKinds<T>> {
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const listing = listObjects(client, kind.resource, namespace, { ...options, pageSize });
      const seen = await lookAtKind(client, kind.resource, listing, options);
      return { kind, seen };
    }),
  );
  const missingRights = lists.flatMap(({ seen }) => (seen.is === 'hidden' ? [seen.right] : []));
  return {
    values: lists.flatMap(({ kind, seen }) =>
      seen.is === 'there' ? seen.value.flatMap((object) => read(kind, object)) : [],
    ),
    missingRights,
    isAllHidden: missingRights.length > 0 && lists.every(({ seen }) => seen.is !== 'there'),
  };
}

/**
 * Reads objects of a kind that the API server may not serve. It checks rights before it looks whether there is such a
 * kind: who may not list Rollouts is refused them also where Argo is not installed, and then nothing is missing.
 *
 * @throws what is neither 403 nor 404
 */
export async function lookAtKind<T>(
  client: KubeClient,
  resource: Resource,
  reading: Promise<T>,
  { timeoutMs, signal }: RequestLimits,
): Promise<Seen<T>> {
  const seen = await look(reading);
  const limits = { ...(timeoutMs !== undefined && { timeoutMs }), ...(signal && { signal }) };
  return seen.is === 'hidden' && !(await mayBeServed(client, resource, limits)) ? { is: 'absent' } : seen;
}

/** Everybody may ask what is served, unless an administrator has taken that away. */
async function mayBeServed(client: KubeClient, resource: Resource, limits: RequestLimits): Promise<boolean> {
  if (resource.group === '') return true;
  try {
    return await isServed(client, resource, limits);
  } catch (thrown) {
    if (thrown instanceof KubeError) return true;
    throw thrown;
  }
}
