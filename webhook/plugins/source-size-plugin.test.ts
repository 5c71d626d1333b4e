import { describe, expect, it } from '@jest/globals';
import { parseAdmissionReview, type AdmissionRequest } from '../admission/admission-review';
import { bytes, review } from '../admission/review.fixture';
import { sourceSizePlugin } from './source-size-plugin';

const plugin = sourceSizePlugin();

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
      /^Secret shop\/\S+ has 2049 keys, more than the 2048 that are tracked one by one: any change/,
    ],
    ['key names that are too long', keysOf(600, 250), /^Secret shop\/\S+ has key names of 150000 bytes, more than/],
  ])('warns about %s', async (_what, keys, expected) => {
    const request = requestOf(keys);
    expect(plugin.wants(request, 'validate')).toBe(true);
    const { warnings = [] } = await plugin.answer(request);
    expect(warnings).toEqual([expect.stringMatching(expected)]);
    expect(Buffer.byteLength(warnings[0]!)).toBeLessThanOrEqual(256);
  });

  it('does not warn within the budgets, nor a controller', () => {
    expect(plugin.wants(requestOf(keysOf(2_048, 8)), 'validate')).toBe(false);
    const controller = { userInfo: { username: 'system:kube-controller-manager' } };
    expect(plugin.wants(requestOf(keysOf(2_049, 8), controller), 'validate')).toBe(false);
  });
});
