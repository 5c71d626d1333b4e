import { describe, expect, it } from '@jest/globals';
import { errorFromStatus, isNamespaceGone, type KubeStatus } from './errors';
import { requestTarget } from './request-target';
import { parseRetryAfter } from './client/retry-after';
import { parseStatusBody } from './wire/status-body';
import { bytesField, envelope, varintField } from './wire/protobuf.fixture';

const deployment = requestTarget('PATCH', '/apis/apps/v1/namespaces/shop/deployments/web');

function status(fields: Partial<KubeStatus>): KubeStatus {
  return {
    code: undefined,
    reason: undefined,
    message: undefined,
    name: undefined,
    resource: undefined,
    causes: [],
    retryAfterMs: undefined,
    ...fields,
  };
}

describe('errorFromStatus', () => {
  it.each([
    [401, undefined, 'UnauthorizedError', 'KUBE_UNAUTHORIZED'],
    [403, 'Forbidden', 'ForbiddenError', 'KUBE_FORBIDDEN'],
    [404, 'NotFound', 'NotFoundError', 'KUBE_NOT_FOUND'],
    [409, 'Conflict', 'ConflictError', 'KUBE_CONFLICT'],
    [409, 'AlreadyExists', 'AlreadyExistsError', 'KUBE_ALREADY_EXISTS'],
    [409, undefined, 'ConflictError', 'KUBE_CONFLICT'],
    [410, 'Expired', 'GoneError', 'KUBE_GONE'],
    [400, 'BadRequest', 'InvalidError', 'KUBE_INVALID'],
    [413, undefined, 'InvalidError', 'KUBE_INVALID'],
    [415, undefined, 'InvalidError', 'KUBE_INVALID'],
    [422, 'Invalid', 'InvalidError', 'KUBE_INVALID'],
    [429, 'TooManyRequests', 'ThrottledError', 'KUBE_THROTTLED'],
    [500, 'InternalError', 'ServerError', 'KUBE_SERVER'],
    [503, undefined, 'ServerError', 'KUBE_SERVER'],
    [302, undefined, 'KubeError', 'KUBE_UNEXPECTED_STATUS'],
  ])('%d %s is a %s', (code, reason, name, stableCode) => {
    const error = errorFromStatus(code, status({ reason, message: 'said' }), deployment);
    expect(error).toMatchObject({ name, code: stableCode, status: code, reason });
    expect(error.message).toContain('patch deployments.apps shop/web');
    expect(error.message).toContain('said');
  });

  it.each([429, 503])('a %d with Retry-After carries its delay', (code) => {
    expect(errorFromStatus(code, undefined, deployment, 3000)).toMatchObject({ retryAfterMs: 3000 });
  });

  it.each([
    ['namespaces "nope" not found', 'create secrets nope: 404 namespaces "nope" not found'],
    ['admission said: namespaces "s3cret" not found', 'create secrets nope: 404 NotFound'],
  ])('reports about a refused Secret only that its namespace is missing: %s', (message, reported) => {
    const write = requestTarget('POST', '/api/v1/namespaces/nope/secrets');
    expect(errorFromStatus(404, status({ reason: 'NotFound', message }), write).message).toBe(reported);
  });

  it.each([
    ['the object', 'web', true],
    ['another', 'api', false],
    ['nothing', undefined, false],
  ])('recognises a 404 that names %s', (_what, name, isOfObject) => {
    const error = errorFromStatus(404, status({ reason: 'NotFound', name }), deployment);
    expect(error).toMatchObject({ isOfObject });
  });

  it('treats a 404 for a list as one about no object', () => {
    const list = requestTarget('GET', '/api/v1/configmaps');
    expect(errorFromStatus(404, undefined, list)).toMatchObject({ isOfObject: false });
  });

  it('names the rule that is missing after a 403', () => {
    expect(errorFromStatus(403, undefined, deployment).message).toMatch(
      /grant .* verb "patch" on resource "deployments" in apiGroup "apps" with a Role in namespace "shop"/,
    );
    const everywhere = requestTarget('GET', '/api/v1/secrets', true);
    expect(errorFromStatus(403, undefined, everywhere).message).toMatch(
      /"watch" on resource "secrets".* a ClusterRole/,
    );
  });

  it.each<[message: string, code: number, details: Partial<KubeStatus>, isGone: boolean]>([
    ['pods "a" is forbidden: exceeded quota: small', 403, {}, false],
    ['jobs.batch "a" is forbidden: no new content', 403, { causes: ['NamespaceTerminating'] }, true],
    ['jobs.batch "a" is forbidden: because it is being terminated, says a policy', 403, {}, false],
    ['admission webhook "policy.example" denied the request: no', 403, {}, false],
    ['namespaces "shop" not found', 404, { name: 'shop', resource: 'namespaces' }, true],
    ['jobs.batch "a" not found, as namespaces "shop" not found', 404, { name: 'a', resource: 'jobs' }, false],
  ])(
    'advises no RBAC rule for other refusals, and recognises a terminating namespace: %s',
    (message, code, details, isGone) => {
      const error = errorFromStatus(code, status({ reason: 'Forbidden', message, ...details }), deployment);
      expect(error.message).not.toContain('grant');
      expect(isNamespaceGone(error)).toBe(isGone);
    },
  );

  it.each(['secrets', 'configmaps'])(
    'does not pass on the message of the server about a refused write of %s',
    (resource) => {
      const target = requestTarget('PUT', `/api/v1/namespaces/shop/${resource}/db`);
      const error = errorFromStatus(
        422,
        status({ reason: 'Invalid', message: 'data[pin]: Invalid value: "123456"' }),
        target,
      );
      expect(error.message).toBe(`update ${resource} shop/db: 422 Invalid`);
    },
  );
});

describe('requestTarget', () => {
  it.each([
    ['GET', '/api/v1/namespaces/shop/configmaps', 'list', '', 'configmaps', 'shop', undefined],
    ['GET', '/api/v1/namespaces/shop/configmaps/a%2Eb', 'get', '', 'configmaps', 'shop', 'a.b'],
    ['GET', '/api/v1/namespaces/shop', 'get', '', 'namespaces', undefined, 'shop'],
    ['GET', '/api/v1/namespaces', 'list', '', 'namespaces', undefined, undefined],
    ['POST', '/apis/batch/v1/namespaces/shop/jobs', 'create', 'batch', 'jobs', 'shop', undefined],
    ['PATCH', '/apis/apps/v1/namespaces/s/deployments/w/scale', 'patch', 'apps', 'deployments/scale', 's', 'w'],
    ['DELETE', '/apis/batch/v1/namespaces/shop/jobs/j', 'delete', 'batch', 'jobs', 'shop', 'j'],
    ['DELETE', '/apis/batch/v1/namespaces/shop/jobs', 'deletecollection', 'batch', 'jobs', 'shop', undefined],
    ['GET', '/readyz', 'list', '', '/readyz', undefined, undefined],
  ] as const)('%s %s', (method, path, verb, group, resource, namespace, name) => {
    expect(requestTarget(method, path)).toMatchObject({ verb, group, resource, namespace, name });
  });
});

describe('parseStatusBody', () => {
  it('reads a Status in JSON and in protobuf', () => {
    const json = {
      kind: 'Status',
      code: 429,
      reason: 'TooManyRequests',
      message: 'm',
      details: {
        name: 'app',
        kind: 'jobs',
        causes: [{ reason: 'A', field: 'f' }, { reason: 'B' }],
        retryAfterSeconds: 2,
      },
    };
    const causes = ['A', 'B'].map((reason) =>
      bytesField(4, Buffer.concat([bytesField(1, reason), bytesField(3, 'f')])),
    );
    const message = Buffer.concat([
      bytesField(3, 'm'),
      bytesField(4, 'TooManyRequests'),
      bytesField(5, Buffer.concat([bytesField(1, 'app'), bytesField(3, 'jobs'), ...causes, varintField(5, 2)])),
      varintField(6, 429),
    ]);
    const expected = {
      ...{ code: 429, reason: 'TooManyRequests', message: 'm', name: 'app', resource: 'jobs', causes: ['A', 'B'] },
      retryAfterMs: 2000,
    };
    expect(parseStatusBody('application/json', Buffer.from(JSON.stringify(json)))).toEqual(expected);
    expect(parseStatusBody('application/vnd.kubernetes.protobuf', envelope(message, 'Status'))).toEqual(expected);
  });

  it.each(['<html>', '', '{}', 'null', '"x"'])('finds none in %s', (body) => {
    expect(parseStatusBody('text/html', Buffer.from(body))).toBeUndefined();
  });

  it('cuts a message that is too long', () => {
    const body = Buffer.from(JSON.stringify({ kind: 'Status', message: 'x'.repeat(10_000) }));
    expect(parseStatusBody('application/json', body)?.message).toHaveLength(512);
  });
});

describe('parseRetryAfter', () => {
  it.each([
    ['7', 7000],
    [' 0 ', 0],
    ['Thu, 01 Jan 2026 00:00:09 GMT', 9000],
    ['Thu, 01 Jan 2015 00:00:09 GMT', 0],
    ['soon', undefined],
    [undefined, undefined],
  ])('%s', (header, expected) => {
    expect(parseRetryAfter(header, Date.UTC(2026, 0, 1))).toBe(expected);
  });
});
