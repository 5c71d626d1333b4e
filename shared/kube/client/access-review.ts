import * as z from 'zod';
import type { KubeClient } from './client';
import type { RequestTarget } from '../request-target';
import { resourcePath, selfSubjectAccessReviews } from '../resource';

/** What the API server says about a permission of Reroll. `unknown`: it does not say, or does not know yet. */
export type RightStatus = 'held' | 'missing' | 'unknown';

/** Short, because the caller keeps retrying meanwhile. */
const timeoutMs = 5_000;

const review = z.looseObject({
  status: z.looseObject({
    allowed: z.boolean(),
    reason: z.string().optional(),
    evaluationError: z.string().optional(),
  }),
});

/**
 * Asks the API server whether Reroll has a permission; every user may ask this for itself. Never rejects.
 *
 * A server that has just started denies requests until it has read all roles and bindings, and only then becomes ready.
 * So a denial before it was ready counts as unknown. So does a denial if a bound role cannot be found, because that
 * role may allow the request.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access
 */
export async function reviewRight(client: KubeClient, right: RequestTarget): Promise<RightStatus> {
  try {
    // Check readiness before the review: the server may become ready in between, after an early denial.
    const isReady = await isServerReady(client);
    const { status } = review.parse(await client.request(reviewOf(right)));
    if (status.allowed) return 'held';
    return isReady && !isInDoubt(status) ? 'missing' : 'unknown';
  } catch {
    return 'unknown';
  }
}

async function isServerReady(client: KubeClient): Promise<boolean> {
  return await client.text({ method: 'GET', path: '/readyz', timeoutMs }).then(
    () => true,
    () => false,
  );
}

function reviewOf({ verb, group, resource: qualified, namespace, name }: RequestTarget) {
  const [resource, subresource] = qualified.split('/');
  return {
    method: 'POST',
    path: resourcePath(selfSubjectAccessReviews),
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { verb, group, resource, subresource, namespace, name } },
    },
    timeoutMs,
  } as const;
}

/** RBAC names in `reason` what it could not find; other authorizers set `evaluationError`. */
function isInDoubt({ reason, evaluationError }: z.infer<typeof review>['status']): boolean {
  return (evaluationError ?? '') !== '' || /^RBAC: /m.test(reason ?? '');
}
