import { describe, expect, it } from '@jest/globals';
import { parseAdmissionReview, type AdmissionRequest } from '../admission/admission-review';
import { bytes, configMap, review, secret } from '../admission/review.fixture';
import { sourceAnnotationsPlugin } from './source-annotations-plugin';

const plugin = sourceAnnotationsPlugin();

function requestOf(annotations: object, more: Readonly<Record<string, unknown>> = {}): AdmissionRequest {
  return parseAdmissionReview(bytes(review({ object: secret({ password: 'hunter2' }, { annotations }), ...more })))!
    .request!;
}

describe('sourceAnnotationsPlugin', () => {
  it.each([
    [
      { 'reroll.dev/hold': 'until=tomorrow' },
      'Secret shop/db: annotation reroll.dev/hold="until=tomorrow" is not a hold that Reroll can read; it holds, without an end; write true, false, or such as until=2026-12-01T06:00:00Z, because=release freeze',
    ],
    [
      { 'reroll.dev/windows': 'nights' },
      'Secret shop/db: annotation reroll.dev/windows="nights" has no effect: "nights" is no day and no range of days; write Mon, or Mon-Fri; write such as "Mon-Fri 22:00-05:00 Europe/Berlin; Sat,Sun", "0 22 * * 1-5 +7h", or always',
    ],
    [
      { 'reroll.dev/windws': 'Sat' },
      'Secret shop/db: annotation reroll.dev/windws is not known and has no effect; did you mean reroll.dev/windows?',
    ],
    [
      { 'reroll.dev/settle': '5s' },
      'Secret shop/db: annotation reroll.dev/settle counts on a workload only and has no effect here; move it to the workload',
    ],
  ])('warns about %j', async (annotations, expected) => {
    const request = requestOf(annotations);
    expect(plugin.wants(request, 'validate')).toBe(true);
    expect(await plugin.answer(request)).toEqual({ warnings: [expected] });
    expect(Buffer.byteLength(expected)).toBeLessThanOrEqual(256);
  });

  const bad = { 'reroll.dev/windows': 'nights' };
  it.each<[string, object, Readonly<Record<string, unknown>>, boolean]>([
    ['a creation', bad, { operation: 'CREATE', oldObject: null }, true],
    ['a change of its content alone', bad, { oldObject: secret({ password: 'old' }, { annotations: bad }) }, true],
    ['a dry run', bad, { dryRun: true }, true],
    ['a deletion', bad, { operation: 'DELETE' }, false],
    ['a controller', bad, { userInfo: { username: 'system:serviceaccount:kube-system:replicaset-controller' } }, false],
    ['one with lint switched off', { ...bad, 'reroll.dev/lint': 'off' }, {}, false],
    ['one without a mistake', { 'reroll.dev/windows': 'Sat', 'helm.sh/hook': 'x' }, {}, false],
    ['a content that Reroll keeps', { 'reroll.dev/kept': '{}', 'reroll.dev/kept-mac': 'x' }, {}, false],
    ['a workload', bad, { kind: { group: 'apps', version: 'v1', kind: 'Deployment' } }, false],
  ])('wants %s: %#', (_title, annotations, more, expected) => {
    expect(plugin.wants(requestOf(annotations, more), 'validate')).toBe(expected);
  });

  it('names a ConfigMap, and shows no content', async () => {
    const object = configMap({
      metadata: { name: 'app', namespace: 'shop', annotations: bad },
      data: { password: 'hunter2' },
    });
    const more = { kind: { group: '', version: 'v1', kind: 'ConfigMap' }, name: 'app', object };
    const { warnings = [] } = await plugin.answer(requestOf(bad, more));
    expect(warnings).toEqual([expect.stringMatching(/^ConfigMap shop\/app: /)]);
    expect(warnings.join()).not.toContain('hunter2');
  });
});
