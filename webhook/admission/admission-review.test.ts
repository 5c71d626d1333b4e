import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { reviewAnswer, parseAdmissionReview, uidFromPrefix } from './admission-review';
import { bytes, review } from './review.fixture';

describe('parseAdmissionReview', () => {
  it('reads what an API server sends', () => {
    const parsed = parseAdmissionReview(bytes(review()));
    expect(parsed?.uid).toBe('review-1');
    expect(parsed?.request).toMatchObject({ name: 'db', operation: 'UPDATE', userInfo: { username: 'alice' } });
  });

  it.each([
    ['unknown fields', { tomorrow: true }],
    ['no name, as with generateName', { name: undefined }],
    ['no options', { options: null }],
    ['an anonymous user', { userInfo: {} }],
    ['no old object', { operation: 'CREATE', oldObject: null }],
  ])('takes a request with %s', (_what, changed) => {
    expect(parseAdmissionReview(bytes(review(changed)))?.request).toBeDefined();
  });

  it.each([
    ['an invalid kind', { kind: 'Secret' }],
    ['an unknown operation', { operation: 'PEEK' }],
    ['a user that is not a string', { userInfo: { username: ['a'] } }],
    ['a dry run that is not a boolean', { dryRun: 'maybe' }],
  ])('can still answer a request with %s', (_what, changed) => {
    expect(parseAdmissionReview(bytes(review(changed)))).toEqual({ uid: 'review-1', request: undefined });
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['no JSON', Buffer.from('{"apiVersion":"admission.k8s.io/v1"')],
    ['no object', bytes([])],
    ['another kind', bytes({ ...review(), kind: 'ConversionReview' })],
    ['another version', bytes({ ...review(), apiVersion: 'admission.k8s.io/v1beta1' })],
    ['no request', bytes({ ...review(), request: undefined })],
    ['no uid', bytes(review({ uid: '' }))],
    ['a uid that is too long', bytes(review({ uid: 'x'.repeat(129) }))],
  ])('knows that %s is no review', (_what, body) => {
    expect(parseAdmissionReview(body)).toBeUndefined();
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.uint8Array(), (body) => void parseAdmissionReview(Buffer.from(body))));
    fc.assert(fc.property(fc.jsonValue(), (value) => void parseAdmissionReview(bytes(value))));
  });
});

describe('reviewAnswer', () => {
  it('echoes the uid, allows, and patches nothing', () => {
    expect(JSON.parse(reviewAnswer('a"b').toString())).toEqual({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: 'a"b', allowed: true },
    });
  });

  it('denies if a plugin does, and then patches nothing', () => {
    const denied = { message: 'no', reason: 'Invalid', code: 422 } as const;
    const patch = [{ op: 'remove', path: '/data' }] as const;
    expect(JSON.parse(reviewAnswer('a', { warnings: ['b'], patch, denied }).toString())).toMatchObject({
      response: { uid: 'a', allowed: false, warnings: ['b'], status: { status: 'Failure', ...denied } },
    });
    expect(reviewAnswer('a', { patch, denied }).toString()).not.toContain('patch');
  });
});

describe('uidFromPrefix', () => {
  const body = '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"0-1.a","kind"';

  it.each([
    ['the order of an API server', body, '0-1.a'],
    ['white space', body.replaceAll(':', ' : '), '0-1.a'],
    ['a uid that is cut off', body.slice(0, -10), undefined],
    ['a uid behind something else', body.replace('"uid"', '"kind":{},"uid"'), undefined],
    ['nothing', '', undefined],
  ])('reads %s', (_what, prefix, uid) => {
    expect(uidFromPrefix(Buffer.from(prefix))).toBe(uid);
  });
});
