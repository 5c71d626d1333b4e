import { describe, expect, it } from '@jest/globals';
import type { RequestRecord } from '../apiserver/request-log';
import { callsOf, describeCalls } from './api-calls';

function request(verb: RequestRecord['verb'], resource: string, user = 'reroll'): RequestRecord {
  const rest = {
    path: '',
    namespace: undefined,
    name: '',
    subresource: undefined,
    userAgent: undefined,
    connectionId: undefined,
  };
  return { user, verb, resource, code: 200, atMs: 0, ...rest };
}

describe('API calls', () => {
  it('are counted by verb and resource, in order of name', () => {
    const patch = request('patch', 'deployments.apps');
    expect(callsOf([patch, request('create', 'events'), patch], 'reroll')).toEqual({
      'create events': 1,
      'patch deployments.apps': 2,
    });
  });

  it.each([
    ['those of others', request('patch', 'configmaps', 'alice')],
    ['watches', request('watch', 'secrets')],
    ['those about the lease', request('update', 'leases.coordination.k8s.io')],
  ])('without %s', (_what, record) => expect(callsOf([record], 'reroll')).toEqual({}));

  it('are described', () => {
    expect(describeCalls({ 'create events': 1, 'patch deployments.apps': 2 })).toBe(
      'create events (1), patch deployments.apps (2)',
    );
    expect(describeCalls({})).toBe('none');
  });
});
