import { describe, expect, it } from '@jest/globals';
import { whyNotRestorable } from './restorable';

describe('whyNotRestorable', () => {
  it.each<[string, object, string | undefined]>([
    ['an ordinary source', { metadata: { name: 'app' }, data: {} }, undefined],
    ['an immutable one', { immutable: true }, 'is immutable'],
    ['one that may be written', { immutable: false }, undefined],
    ['one that is deleted', { metadata: { deletionTimestamp: '2026-11-25T22:00:00Z' } }, 'is being deleted'],
    [
      'one of a controller',
      { metadata: { ownerReferences: [{ kind: 'ExternalSecret', name: 'db', controller: true }] } },
      'is written by the controller of ExternalSecret db: change it there',
    ],
    [
      'one that is only deleted with another',
      { metadata: { ownerReferences: [{ kind: 'App', name: 'x' }] } },
      undefined,
    ],
    [
      'one of cert-manager',
      { metadata: { annotations: { 'cert-manager.io/certificate-name': 'web' } } },
      'is written by cert-manager for Certificate web',
    ],
    [
      'the token of a ServiceAccount',
      { type: 'kubernetes.io/service-account-token' },
      'is of type kubernetes.io/service-account-token',
    ],
    ['a certificate', { type: 'kubernetes.io/tls' }, undefined],
  ])('%s', (_what, source, expected) => expect(whyNotRestorable(source)).toBe(expected));
});
