import { describe, expect, it } from '@jest/globals';
import { reviewRight } from './access-review';
import { bodyOf, clientWorld } from './client.fixture';
import { noAnswer, refusal, type Reply } from '../transport/fake-transport';
import { requestTarget } from '../request-target';

const right = requestTarget('POST', '/api/v1/namespaces/reroll/secrets');
const ready: Reply = { body: 'ok' };
const unready: Reply = { status: 500, body: '[-]informer-sync failed: reason withheld' };
const answered = (status: object): Reply => ({ status: 201, body: { kind: 'SelfSubjectAccessReview', status } });
const notAllowed = answered({ allowed: false });

function server(readyz: Reply, review: Reply | Promise<Reply>) {
  return clientWorld(({ path }) => (path === '/readyz' ? readyz : review));
}

describe('reviewRight', () => {
  it.each<[string, Reply, Reply, string]>([
    [
      'held for an allowed request',
      ready,
      answered({ allowed: true, reason: 'RBAC: allowed by RoleBinding "reroll"' }),
      'held',
    ],
    ['held for an allowed request before the server is ready', unready, answered({ allowed: true }), 'held'],
    ['missing for a denied request', ready, notAllowed, 'missing'],
    [
      'missing if another authorizer than RBAC gives a reason',
      ready,
      answered({ allowed: false, reason: 'no' }),
      'missing',
    ],
    ['unknown before the server has read all roles', unready, notAllowed, 'unknown'],
    ['unknown after an evaluation error', ready, answered({ allowed: false, evaluationError: 'x' }), 'unknown'],
    [
      'unknown if a bound role is not found',
      ready,
      answered({ allowed: false, reason: 'RBAC: role.rbac.authorization.k8s.io "reroll" not found' }),
      'unknown',
    ],
    ['unknown if the review is refused', ready, refusal(403, 'Forbidden'), 'unknown'],
    ['unknown if the review fails', ready, refusal(500, 'InternalError'), 'unknown'],
    ['unknown for an answer of another kind', ready, { body: { status: 'Success' } }, 'unknown'],
  ])('is %s', async (_what, readyz, review, expected) => {
    expect(await reviewRight(server(readyz, review).client, right)).toBe(expected);
  });

  it('gives up on a server that does not answer', async () => {
    const { client, clock } = server(ready, noAnswer());
    const reviewing = reviewRight(client, right);
    await clock.advance(5_000);
    expect(await reviewing).toBe('unknown');
  });

  it.each([
    [
      requestTarget('GET', '/api/v1/namespaces/reroll/secrets/reroll-digest-key'),
      { verb: 'get', group: '', resource: 'secrets', namespace: 'reroll', name: 'reroll-digest-key' },
    ],
    [
      requestTarget('PATCH', '/apis/apps/v1/namespaces/shop/deployments/web/scale'),
      { verb: 'patch', group: 'apps', resource: 'deployments', subresource: 'scale', namespace: 'shop', name: 'web' },
    ],
    [requestTarget('GET', '/api/v1/secrets'), { verb: 'list', group: '', resource: 'secrets' }],
  ])('reviews the refused request: %j', async (target, resourceAttributes) => {
    const { client, transport } = server(ready, notAllowed);
    await reviewRight(client, target);
    expect(transport.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /readyz',
      'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    ]);
    expect(bodyOf(transport.requests[1])).toMatchObject({ spec: { resourceAttributes } });
  });
});
