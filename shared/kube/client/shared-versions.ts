import { areInOrder } from '../../domain/kubernetes/resource-version';
import type { KubeClient } from './client';
import { newestVersion, type RequestLimits } from './objects';
import type { Resource } from '../resource';

/**
 * Whether the versions of two resources come from one counter, so that they tell which write was first. They do where both
 * live in one etcd, which nothing in the API says (`--etcd-servers-overrides`). A counter is read for one, for the other,
 * and for the one again: it only grows. The counters of two etcds would have to meet within these milliseconds to look so.
 *
 * @throws ForbiddenError and the other KubeErrors
 */
export async function shareVersions(
  client: KubeClient,
  namespace: string,
  one: Resource,
  other: Resource,
  limits: RequestLimits = {},
): Promise<boolean> {
  const versions: string[] = [];
  for (const resource of [one, other, one]) versions.push(await newestVersion(client, resource, namespace, limits));
  return areInOrder(versions);
}
