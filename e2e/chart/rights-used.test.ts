import { describe, expect, it } from '@jest/globals';
import type { AuditEntry } from '../control-plane/audit';
import { refusedRequests, unusedRights, type Grant } from './rights-used';

function request(verb: string, uri: string, objectRef: AuditEntry['objectRef'], code = 200): AuditEntry {
  const username = 'system:serviceaccount:reroll:reroll';
  const at = '2026-01-01T00:00:00Z';
  return {
    ...{ auditID: uri, stage: 'ResponseComplete', verb, requestURI: uri, user: { username } },
    ...{ responseStatus: { code }, requestReceivedTimestamp: at, stageTimestamp: at, ...(objectRef && { objectRef }) },
  };
}

const secret = { resource: 'secrets', namespace: 'reroll', name: 'key' };

function grant(verbs: readonly string[], more: Partial<Grant> = {}, resourceNames?: readonly string[]): Grant {
  const rule = { apiGroups: [''], resources: ['secrets'], verbs, ...(resourceNames && { resourceNames }) };
  return { account: 'reroll', role: 'own', namespaces: new Set(['reroll']), rules: [rule], ...more };
}

describe('a right is unused', () => {
  const entries = [request('get', '/a', secret)];

  it.each<[string, Grant, readonly string[]]>([
    ['without a request of its verb', grant(['get', 'list']), ['reroll by own: list secrets']],
    [
      'without one in its namespaces',
      grant(['get'], { namespaces: new Set(['shop']) }),
      ['reroll by own: get secrets'],
    ],
    ['without one of its names', grant(['get'], {}, ['other']), ['reroll by own: get secrets other']],
    ['without one of each of its names', grant(['get'], {}, ['key', 'other']), ['reroll by own: get secrets other']],
    ['without one of its account', grant(['get'], { account: 'webhook' }), ['webhook by own: get secrets']],
    ['and not where it holds everywhere', grant(['get'], { namespaces: undefined }), []],
    ['and not where the name fits', grant(['get'], {}, ['key']), []],
  ])('%s', (_what, each, unused) => expect(unusedRights([each], entries)).toEqual(unused));

  it('where a request was for a subresource', () => {
    const status = [request('get', '/a', { ...secret, subresource: 'status' })];
    expect(unusedRights([grant(['get'])], status)).toEqual(['reroll by own: get secrets']);
  });
});

it('a refused request is told once', () => {
  const entries = [request('get', '/a', secret, 403), request('get', '/a', secret, 403), request('get', '/b', secret)];
  expect(refusedRequests(entries)).toEqual(['system:serviceaccount:reroll:reroll: get /a']);
});
