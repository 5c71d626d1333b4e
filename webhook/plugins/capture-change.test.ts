import { changeId } from '../../shared/domain/sources/change-id';
import { describe, expect, it } from '@jest/globals';
import { defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import type { ChangeRecord } from '../../shared/domain/protocol/change-record';
import { sourceDecoder } from '../../shared/kube/sources/source-decoder';
import { parseAdmissionReview } from '../admission/admission-review';
import { captureChange, capturedKind } from './capture-change';
import { bytes, configMap, review, secret, testDigester } from '../admission/review.fixture';

const nowMs = Date.UTC(2026, 0, 1);

function requestOf(changed: Readonly<Record<string, unknown>> = {}) {
  const request = parseAdmissionReview(bytes(review(changed)))?.request;
  if (!request) throw new Error('the test sends no review');
  return request;
}

function capture(changed: Readonly<Record<string, unknown>> = {}) {
  const request = requestOf(changed);
  const kind = capturedKind(request);
  return kind && captureChange(request, kind, testDigester, nowMs);
}

function captured(changed: Readonly<Record<string, unknown>> = {}): ChangeRecord {
  const record = capture(changed);
  if (typeof record !== 'object') throw new Error(`not captured: ${String(record)}`);
  return record;
}

const ofConfigMap = { kind: { group: '', version: 'v1', kind: 'ConfigMap' }, name: 'app' };

describe('captureChange', () => {
  it("records who changed which key of which source, without the user's groups", () => {
    expect(captured()).toEqual({
      v: 1,
      id: 'review-1',
      kind: 'Secret',
      namespace: 'shop',
      name: 'db',
      uid: 'uid-db',
      digest: captured().digest,
      keyId: testDigester.keyId,
      changed: { added: [], changed: ['password'], removed: [] },
      user: 'alice',
      manager: 'kubectl-edit',
      observedAtMs: nowMs,
      change: changeId('uid-db', captured().digest),
    });
  });

  it('tells which version the write replaces: a creation replaces none', () => {
    const before = secret({ password: 'old' }, { resourceVersion: '41' });
    expect(captured({ oldObject: before }).replaces).toBe('41');
    expect(captured({ operation: 'CREATE', oldObject: null })).not.toHaveProperty('replaces');
  });

  it('computes the digest that the watch will compute', () => {
    const stored = secret(
      { password: 'new', user: 'app' },
      { resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' },
    );
    const watched = sourceDecoder('Secret', testDigester, defaultAnnotationKeys).fromJson(stored);
    expect(captured().digest).toBe(watched.object.content.whole());
  });

  it('holds no value, in any encoding', () => {
    const text = JSON.stringify(captured({ object: secret({ password: 'hunter2hunter2' }) }));
    expect(text).not.toContain('hunter2');
    expect(text).not.toContain(Buffer.from('hunter2hunter2').toString('base64').slice(0, 12));
  });

  it.each([
    ['added', secret({ a: '1' }), secret({ a: '1', b: '2' }), { added: ['b'], changed: [], removed: [] }],
    ['removed', secret({ a: '1', b: '2' }), secret({ a: '1' }), { added: [], changed: [], removed: ['b'] }],
    ['removed, all', secret({ a: '1' }), secret({}), { added: [], changed: [], removed: ['a'] }],
    [
      'all three',
      secret({ a: '1', b: '2' }),
      secret({ b: '3', c: '' }),
      { added: ['c'], changed: ['b'], removed: ['a'] },
    ],
    [
      'named like a property',
      secret({}),
      secret({ ['__proto__']: '1' }),
      { added: ['__proto__'], changed: [], removed: [] },
    ],
  ])('names the keys that were %s', (_what, oldObject, object, changed) => {
    expect(captured({ oldObject, object }).changed).toEqual(changed);
  });

  it('lists every key of a new source', () => {
    const changed = { added: ['a', 'b'], changed: [], removed: [] };
    expect(captured({ operation: 'CREATE', oldObject: null, object: secret({ b: '1', a: '2' }) }).changed).toEqual(
      changed,
    );
  });

  it('records a new source without content', () => {
    expect(captured({ operation: 'CREATE', oldObject: null, object: secret({}) }).changed.added).toEqual([]);
  });

  it('sees binaryData as well as data', () => {
    const [oldObject, object] = [
      configMap({ binaryData: { b: 'AAAA' } }),
      configMap({ data: { d: 'x' }, binaryData: { b: 'AAAB' } }),
    ];
    expect(captured({ ...ofConfigMap, oldObject, object })).toMatchObject({
      kind: 'ConfigMap',
      changed: { added: ['d'], changed: ['b'], removed: [] },
    });
  });

  it.each([
    ['metadata alone', { object: secret({ a: '1' }, { labels: { x: 'y' } }), oldObject: secret({ a: '1' }) }],
    [
      'bytes that moved from data to binaryData',
      { ...ofConfigMap, oldObject: configMap({ data: { k: 'x' } }), object: configMap({ binaryData: { k: 'eA==' } }) },
    ],
    ['nothing, in a source without content', { object: secret({}), oldObject: secret({}) }],
  ])('sees that %s is no change', (_what, changed) => {
    expect(capture(changed)).toBe('no_change');
  });

  it.each([
    ['another kind', { kind: { group: '', version: 'v1', kind: 'Pod' } }],
    ['another group of the same kind', { kind: { group: 'example.com', version: 'v1', kind: 'Secret' } }],
    ['a subresource', { subResource: 'status' }],
    ['a deletion', { operation: 'DELETE', object: null }],
  ])('has no interest in %s', (_what, changed) => {
    expect(capture(changed)).toBeUndefined();
  });

  it.each([
    ['a name', { name: undefined, object: secret({}, { name: undefined, generateName: 'db-' }) }],
    ['a uid', { oldObject: null, object: secret({}, { uid: undefined }) }],
  ])('cannot tell of a source that has yet to get %s', (_what, changed) => {
    expect(capture({ operation: 'CREATE', ...changed })).toBe('unnamed');
  });

  it('takes the uid from the old object if a PUT has none', () => {
    expect(captured({ object: secret({ password: 'x' }, { uid: undefined }) }).uid).toBe('uid-db');
  });

  it.each([
    ['the request', { fieldManager: 'kubectl-edit' }, [['helm', '2026-01-02T00:00:00Z']], 'kubectl-edit'],
    [
      'the newest entry',
      {},
      [
        ['argo', '2026-01-03T00:00:00Z'],
        ['helm', '2026-01-02T00:00:00Z'],
      ],
      'argo',
    ],
    [
      'the one entry with a time',
      {},
      [
        ['argo', undefined],
        ['helm', '2026-01-02T00:00:00Z'],
      ],
      'helm',
    ],
    ['nobody', {}, [], undefined],
  ])('takes the field manager from %s', (_what, options, entries, manager) => {
    const managedFields = entries.map(([name, time]) => ({ manager: name, time }));
    expect(captured({ options, object: secret({ password: 'x' }, { managedFields }) }).manager).toBe(manager);
  });

  it('truncates names of users and field managers, so that a reconciler accepts the record', () => {
    expect(captured({ userInfo: { username: 'u'.repeat(9_000) } }).user).toHaveLength(256);
  });

  it.each([
    ['a name that is a path', { object: secret({ a: 'b' }, { name: '../x' }) }],
    ['data that is not a map', { object: { ...secret({}), data: 'secret' } }],
    ['a value that is not a string', { object: { ...secret({}), data: { a: 1 } } }],
    ['no object', { object: null }],
  ])('refuses %s, which no API server sends', (_what, changed) => {
    expect(() => capture(changed)).toThrow();
  });
});
