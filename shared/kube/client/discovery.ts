import * as z from 'zod';
import type { KubeClient } from './client';
import { NotFoundError, ProtocolError } from '../errors';
import type { RequestLimits } from './objects';
import type { Resource } from '../resource';

const resourceList = z.looseObject({ resources: z.array(z.looseObject({ name: z.string() })).nullish() });

/**
 * Whether the API server serves a resource. Its group alone is not enough: Argo CD also serves `argoproj.io/v1alpha1`,
 * without Rollouts.
 *
 * @see https://kubernetes.io/docs/concepts/overview/kubernetes-api/#discovery-api
 * @throws KubeError if the server does not answer.
 */
export async function isServed(
  client: KubeClient,
  { group, version, plural }: Resource,
  limits: RequestLimits = {},
): Promise<boolean> {
  try {
    const path = `/apis/${group}/${version}`;
    const answer = resourceList.safeParse(await client.request({ ...limits, method: 'GET', path }));
    if (!answer.success) throw new ProtocolError(`the answer about ${group}/${version} is not a list of resources`);
    return answer.data.resources?.some(({ name }) => name === plural) ?? false;
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    throw error;
  }
}
