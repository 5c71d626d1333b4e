import { describe, expect, it } from '@jest/globals';
import { ContentDigester } from '../shared/domain/content-digest';
import { contentOf, parsePreviewQuestion, type PreviewAnswer, type PreviewQuestion } from '../shared/domain/preview';
import { parseAdmissionReview, type AdmissionRequest } from './admission-review';
import { previewDuty } from './preview-duty';
import { bytes, review, secret } from './review.fixture';

const digester = new ContentDigester(Buffer.alloc(32, 1));
const restarts: PreviewAnswer = {
  ...{ v: 1, left: [], moreRestarts: 0, moreLeft: 0 },
  restarts: [{ workload: 'deployment/web', keys: ['password'] }],
};
const told = { warnings: ['restarts deployment/web (key password)'] };

function requestOf(changed: Readonly<Record<string, unknown>> = {}): AdmissionRequest {
  return parseAdmissionReview(bytes(review(changed)))!.request!;
}

function world(answer: unknown = restarts, key: () => ContentDigester | undefined = () => digester) {
  const asked: { readonly path: string; readonly question: PreviewQuestion; readonly timeoutMs: number }[] = [];
  const reconcilers = {
    ask: async (path: string, question: object, timeoutMs: number) => {
      asked.push({ path, question: parsePreviewQuestion(JSON.parse(JSON.stringify(question))), timeoutMs });
      return await Promise.resolve(answer);
    },
  };
  return { asked, duty: previewDuty({ reconcilers, digester: key }) };
}

describe('previewDuty', () => {
  it('warns of what the leader says, and asks it with digests alone', async () => {
    const { asked, duty } = world();
    const request = requestOf();
    expect(duty.wants(request, 'validate')).toBe(true);
    expect(await duty.answer(request)).toEqual(told);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ path: '/v1/preview', timeoutMs: 250, question: { keyId: digester.keyId } });
    const { question } = asked[0]!;
    const { data = {} } = request.object as { readonly data?: Record<string, string> };
    const entries = Object.entries(data).map(([name, value]) => [name, Buffer.from(value, 'base64')] as const);
    const content = digester.digest('Secret', question.namespace, question.name, entries);
    expect(contentOf(question).equals(content)).toBe(true);
    for (const value of Object.values(data)) {
      expect(JSON.stringify(question)).not.toContain(value);
      expect(JSON.stringify(question)).not.toContain(Buffer.from(value, 'base64').toString());
    }
  });

  it('warns in a dry run, which is when people ask', async () => {
    const { duty } = world();
    expect(duty.wants(requestOf({ dryRun: true }), 'validate')).toBe(true);
    expect(await duty.answer(requestOf({ dryRun: true }))).toEqual(told);
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    [
      'is a controller',
      { userInfo: { username: 'system:serviceaccount:argocd:app' }, options: { fieldManager: 'argocd-controller' } },
    ],
    ['deletes', { operation: 'DELETE' }],
    ['writes something else', { kind: { group: '', version: 'v1', kind: 'Pod' } }],
    ['has switched it off', { object: secret({ password: 'x' }, { annotations: { 'reroll.dev/preview': 'off' } }) }],
  ])('says nothing to who %s', (_who, changed) => {
    expect(world().duty.wants(requestOf(changed), 'validate')).toBe(false);
  });

  it('asks nobody about contents that stay as they are, nor without a key or a name', async () => {
    const { asked, duty } = world();
    const { object } = requestOf();
    expect(await duty.answer(requestOf({ oldObject: object }))).toEqual({});
    expect(await duty.answer(requestOf({ name: '', object: { ...secret({ a: 'b' }), metadata: {} } }))).toEqual({});
    expect(await world(restarts, () => undefined).duty.answer(requestOf())).toEqual({});
    expect(asked).toEqual([]);
  });

  it('says nothing where nobody answered, and fails where the answer is none', async () => {
    await expect(world(null).duty.answer(requestOf())).rejects.toThrow('invalid preview answer');
    const nobody = previewDuty({ reconcilers: { ask: async () => undefined }, digester: () => digester });
    expect(await nobody.answer(requestOf())).toEqual({});
  });
});
