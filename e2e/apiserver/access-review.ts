import { selfSubjectAccessReviews, resourcePath } from '../../shared/kube/resource';
import { objectAt, stringAt, type JsonObject } from './json';
import { parseObject } from './patch';
import type { Rbac } from './rbac';

export const accessReviewPath = resourcePath(selfSubjectAccessReviews);

/**
 * Answers a SelfSubjectAccessReview. Every user may create one, by the binding `system:basic-user`.
 *
 * @throws StatusError 400 if the body is not a JSON object.
 */
export function reviewOwnAccess(rbac: Rbac, user: string, body: Buffer = Buffer.alloc(0)): JsonObject {
  const review = parseObject(body);
  const asked = objectAt(review, 'spec', 'resourceAttributes');
  const allowed = rbac.allows({
    user,
    verb: stringAt(asked, 'verb') ?? '',
    kind: {
      group: stringAt(asked, 'group') ?? '',
      version: stringAt(asked, 'version') ?? '',
      plural: stringAt(asked, 'resource') ?? '',
    },
    namespace: stringAt(asked, 'namespace'),
    name: stringAt(asked, 'name') ?? '',
    subresource: stringAt(asked, 'subresource'),
  });
  return { ...review, metadata: {}, status: { allowed } };
}
