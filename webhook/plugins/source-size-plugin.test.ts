import { describe, expect, it } from '@jest/globals';
import { parseAdmissionReview, type AdmissionRequest } from '../admission/admission-review';
import { bytes, review } from '../admission/review.fixture';
import { sourceSizePlugin } from './source-size-plugin';

const duty = sourceSizePlugin();

function requestOf(keys: readonly string[], more: Readonly<Record<string, unknown>> = {}): AdmissionRequest {
  const request = parseAdmissionReview(bytes(review({})))!.request!;
  const data = Object.fromEntries(keys.map((key) => [key, '']));
  return { ...request, object: { ...(request.object as object), data }, ...more };
}

const keysOf = (count: number, length: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${'k'.repeat(length - 4)}${String(index).padStart(4, '0')}`);

describe('sourceSizePlugin', () => {
  it.each<[string, readonly string[], RegExp]>([
    [
      'too many keys',
      keysOf(2_049, 8),
      /^Secret shop\/\S+ has 2049 keys, and more than 2048 are not told apart: any change/,
    ],
    [
      'names of keys that are too long',
      keysOf(600, 250),
      /^Secret shop\/\S+ has keys whose names take 150000 bytes, and with/,
    ],
  ])('warns of %s', async (_what, keys, expected) => {
    const request = requestOf(keys);
    expect(duty.wants(request, 'validate')).toBe(true);
    const { warnings = [] } = await duty.answer(request);
    expect(warnings).toEqual([expect.stringMatching(expected)]);
    expect(Buffer.byteLength(warnings[0]!)).toBeLessThanOrEqual(256);
  });

  it('says nothing of what is within the budgets, nor to a controller', () => {
    expect(duty.wants(requestOf(keysOf(2_048, 8)), 'validate')).toBe(false);
    const controller = { userInfo: { username: 'system:kube-controller-manager' } };
    expect(duty.wants(requestOf(keysOf(2_049, 8), controller), 'validate')).toBe(false);
  });
});
