import * as z from 'zod';
import type { KubeClient } from './client';
import type { RequestTarget } from '../request-target';
import { resourcePath, selfSubjectAccessReviews } from '../resource';

/** What the API server says of a right of ours; `unknown`: it does not say, or does not know yet. */
export type RightStatus = 'held' | 'missing' | 'unknown';

/** Short: who asks goes on trying meanwhile. */
const timeoutMs = 5_000;

const review = z.looseObject({
  status: z.looseObject({
    allowed: z.boolean(),
    reason: z.string().optional(),
    evaluationError: z.string().optional(),
  }),
});

/**
 * Asks the API server whether we may do what `right` says, which every user may ask of himself. Never rejects.
 *
 * A server that has just started denies until it has read all roles and bindings. It is ready only once it has, so what
 * it denied before it said so is not known; nor is what a role may allow that is bound to us and that it cannot find.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access
 */
export async function reviewRight(client: KubeClient, right: RequestTarget): Promise<RightStatus> {
  try {
    // Before the review, not after: it may come to know in between.
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

/** RBAC tells what it could not find by a reason, and other authorizers by an error. */
function isInDoubt({ reason, evaluationError }: z.infer<typeof review>['status']): boolean {
  return (evaluationError ?? '') !== '' || /^RBAC: /m.test(reason ?? '');
}
