import { areInOrder } from '../../domain/kubernetes/resource-version';
import type { KubeClient } from './client';
import { newestVersion, type RequestLimits } from './objects';
import type { Resource } from '../resource';

/**
 * Whether the versions of two resources come from one counter, so that they show which write was first. They do if both
 * live in one etcd, which the API does not reveal (`--etcd-servers-overrides`). The test reads the version of one
 * resource, then of the other, then of the first again: a counter only grows. Two separate counters would pass only if
 * they were equal within these milliseconds.
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
