import { describe, expect, it } from '@jest/globals';
import { identityInJson, watchEventInJson } from './json-identity';

const identity = {
  name: 'web',
  namespace: 'shop',
  uid: 'uid-1',
  resourceVersion: '7',
  creationTimestamp: '2024-01-01T00:00:00Z',
};
const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

describe('identityInJson', () => {
  it.each([
    ['as a built-in kind is written', { kind: 'Deployment', metadata: { ...identity, labels: { name: 'other' } } }],
    ['as a custom resource is written', { apiVersion: 'v1', metadata: { annotations: { uid: 'x' }, ...identity } }],
    ['beside fields that are not strings', { metadata: { ...identity, generation: 3, managedFields: [{}] } }],
  ])('finds it %s', (_how, object) => {
    expect(identityInJson(bytes({ ...object, spec: { name: 'none' } }))).toEqual({ metadata: identity });
  });

  it('reads nothing after the metadata', () => {
    const { metadata } = identityInJson(Buffer.from(`{"metadata":${JSON.stringify(identity)},no JSON`));
    expect(metadata).toEqual(identity);
  });

  it.each(['', '[]', '{}', '{"metadata":[]}', '{"metadata":{"name":1}}', '{"spec":{"metadata":{"name":"a"}}}'])(
    'is undefined for %s',
    (json) => expect(identityInJson(Buffer.from(json))).toEqual({ metadata: {} }),
  );
});

describe('watchEventInJson', () => {
  it('returns the type and the offset of the object', () => {
    const line = bytes({ type: 'MODIFIED', object: { metadata: identity } });
    expect(watchEventInJson(line)).toEqual({ type: 'MODIFIED', objectAt: line.indexOf('{"metadata"') });
  });

  it.each(['{}', '{"object":{}}', '{"type":1,"object":{}}', 'no JSON'])('is undefined for %s', (json) =>
    expect(watchEventInJson(Buffer.from(json))).toBeUndefined(),
  );
});
