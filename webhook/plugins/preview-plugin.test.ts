import { describe, expect, it, jest } from '@jest/globals';
import { budgets } from '../../shared/domain/budgets';
import { ContentDigester, type CanonicalForms } from '../../shared/domain/sources/content-digest';
import {
  contentOf,
  parsePreviewQuestion,
  type PreviewAnswer,
  type PreviewQuestion,
} from '../../shared/domain/protocol/preview';
import { parseAdmissionReview, type AdmissionRequest } from '../admission/admission-review';
import { previewPlugin } from './preview-plugin';
import { bytes, review, secret } from '../admission/review.fixture';

const digester = new ContentDigester(Buffer.alloc(32, 1));
const restarts: PreviewAnswer = {
  ...{ v: 1, left: [], moreRestarts: 0, moreLeft: 0 },
  restarts: [{ workload: 'deployment/web', keys: ['password'] }],
};
const warning = { warnings: ['restarts deployment/web (key password)'] };

function requestOf(changed: Readonly<Record<string, unknown>> = {}): AdmissionRequest {
  return parseAdmissionReview(bytes(review(changed)))!.request!;
}

interface Written {
  readonly metadata: { readonly uid: string };
  readonly data: Readonly<Record<string, string>>;
}

function contentIn({ namespace, name }: PreviewQuestion, { data }: Written) {
  const entries = Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64')] as const);
  return digester.digest({ kind: 'Secret', namespace, name }, entries);
}

function world(answer: unknown = restarts, key: () => ContentDigester | undefined = () => digester, canAsk = true) {
  const asked: { readonly path: string; readonly question: PreviewQuestion; readonly timeoutMs: number }[] = [];
  const reconcilers = {
    canQuery: () => canAsk,
    query: async (path: string, question: object, timeoutMs: number) => {
      asked.push({ path, question: parsePreviewQuestion(JSON.parse(JSON.stringify(question))), timeoutMs });
      return await Promise.resolve(answer);
    },
  };
  return { asked, plugin: previewPlugin({ reconcilers, digester: key }) };
}

describe('previewPlugin', () => {
  it("warns with the leader's answer, and sends only digests", async () => {
    const { asked, plugin } = world();
    const request = requestOf();
    expect(plugin.wants(request, 'validate')).toBe(true);
    expect(await plugin.answer(request)).toEqual(warning);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ path: '/v1/preview', timeoutMs: 250, question: { keyId: digester.keyId } });
    const { question } = asked[0]!;
    const { object, oldObject } = request as { readonly object: Written; readonly oldObject: Written };
    expect(question.update?.uid).toBe(oldObject.metadata.uid);
    expect(question.update?.before).toBe(contentIn(question, oldObject).whole());
    expect(contentOf(question).equals(contentIn(question, object))).toBe(true);
    for (const value of [object, oldObject].flatMap(({ data }) => Object.values(data))) {
      expect(JSON.stringify(question)).not.toContain(value);
      expect(JSON.stringify(question)).not.toContain(Buffer.from(value, 'base64').toString());
    }
  });

  it('sends digests of what is parsed only of a source that is compared parsed', async () => {
    const forms: CanonicalForms = (content) => new Map([...content].map(([key]) => [key, Buffer.from('the same')]));
    const parsing = new ContentDigester(Buffer.alloc(32, 1), undefined, forms);
    const { asked, plugin } = world(restarts, () => parsing);
    const request = requestOf();
    const object = request.object as Written;
    const annotated = (mode: string) => ({
      ...object,
      metadata: { ...object.metadata, annotations: { 'reroll.dev/compare': mode } },
    });
    await plugin.answer(requestOf({ object: annotated('parsed') }));
    await plugin.answer(requestOf({ object: annotated('bytes') }));
    const [parsed, plain] = asked.map(({ question }) => contentOf(question));
    expect(parsed?.parsed?.equals(parsed)).toBe(false);
    expect(plain?.parsed).toBeUndefined();
    expect(plain?.equals(parsed!)).toBe(true);
  });

  it('sends nothing about the content of a CREATE, so that nobody can test guesses', async () => {
    const { asked, plugin } = world();
    for (const pin of ['4710', '4711', '4712']) {
      const guess = { ...secret({ pin }), metadata: { name: 'db', namespace: 'shop' } };
      await plugin.answer(requestOf({ operation: 'CREATE', object: guess, oldObject: null, name: 'db' }));
    }
    const [first, ...others] = asked.map(({ question }) => question);
    expect(first?.update).toBeUndefined();
    for (const other of others) expect(other).toEqual(first);
  });

  it('sends no query for an update of an object without a uid', async () => {
    const { asked, plugin } = world();
    const withoutUid = (data: Readonly<Record<string, string>>) => ({
      ...secret(data),
      metadata: { name: 'db', namespace: 'shop' },
    });
    const forged = requestOf({ object: withoutUid({ pin: '1' }), oldObject: withoutUid({ pin: '2' }) });
    expect(await plugin.answer(forged)).toEqual({});
    expect(asked).toEqual([]);
  });

  it('sends what the source says about the time of restarts, cut, and no other annotation', async () => {
    const { asked, plugin } = world();
    const annotations = { 'reroll.dev/hold': 'x'.repeat(2_000), 'reroll.dev/windows': 'Sat', note: 'secret plan' };
    await plugin.answer(requestOf({ object: secret({ password: 'x' }, { annotations }) }));
    const gates = { 'reroll.dev/hold': 'x'.repeat(1_000), 'reroll.dev/windows': 'Sat' };
    expect(asked).toMatchObject([{ question: { gates } }]);
    expect(JSON.stringify(asked)).not.toContain('secret plan');
  });

  it('warns in a dry run', async () => {
    const { plugin } = world();
    expect(plugin.wants(requestOf({ dryRun: true }), 'validate')).toBe(true);
    expect(await plugin.answer(requestOf({ dryRun: true }))).toEqual(warning);
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
    expect(world().plugin.wants(requestOf(changed), 'validate')).toBe(false);
  });

  it('sends no query if the content is the same, nor without a digest key or a name, nor with too many keys', async () => {
    const { asked, plugin } = world();
    const { object } = requestOf();
    expect(await plugin.answer(requestOf({ oldObject: object }))).toEqual({});
    expect(await plugin.answer(requestOf({ name: '', object: { ...secret({ a: 'b' }), metadata: {} } }))).toEqual({});
    expect(await world(restarts, () => undefined).plugin.answer(requestOf())).toEqual({});
    const keys = Array.from({ length: budgets.sourceKeysRead + 1 }, (_, index) => [`k${String(index)}`, 'x'] as const);
    expect(await plugin.answer(requestOf({ object: secret(Object.fromEntries(keys)) }))).toEqual({});
    expect(asked).toEqual([]);
  });

  it('does no work for a query that would not be sent', async () => {
    const counted = new ContentDigester(Buffer.alloc(32, 1));
    const digest = jest.spyOn(counted, 'digest');
    await world(restarts, () => counted, false).plugin.answer(requestOf());
    expect(digest).not.toHaveBeenCalled();
    await world(restarts, () => counted).plugin.answer(requestOf());
    // The old content and the new one.
    expect(digest).toHaveBeenCalledTimes(2);
  });

  it('adds nothing without an answer, and fails on an invalid one', async () => {
    await expect(world(null).plugin.answer(requestOf())).rejects.toThrow('invalid preview answer');
    const nobody = previewPlugin({
      reconcilers: { canQuery: () => true, query: async () => undefined },
      digester: () => digester,
    });
    expect(await nobody.answer(requestOf())).toEqual({});
  });
});
