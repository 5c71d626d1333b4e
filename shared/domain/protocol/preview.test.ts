import { describe, expect, it, test } from '@jest/globals';
import { ContentDigester } from '../sources/content-digest';
import {
  contentOf,
  describePreview,
  parsePreviewAnswer,
  parsePreviewQuestion,
  PreviewError,
  updateOf,
  type PreviewAnswer,
} from './preview';

const nothing: PreviewAnswer = { v: 1, restarts: [], left: [], moreRestarts: 0, moreLeft: 0 };
const web = { workload: 'deployment/web', keys: ['LOG_LEVEL'] };
const db = { workload: 'statefulset/db', keys: ['LOG_LEVEL'] };
const later = { gate: 'hold', detail: 'reroll.dev/hold on namespace shop: release freeze' };
const laterText = 'held by reroll.dev/hold on namespace shop: release freeze';
const left = (name: string) => ({ workload: `deployment/${name}`, because: 'it is excluded' });

test.each<[string, Partial<PreviewAnswer>, string | undefined]>([
  ['nothing that uses it', {}, undefined],
  ['one workload', { restarts: [web] }, 'restarts deployment/web (key LOG_LEVEL)'],
  ['two for one key', { restarts: [web, db] }, 'restarts deployment/web, statefulset/db (key LOG_LEVEL)'],
  [
    'two for different keys',
    { restarts: [web, { ...db, keys: ['a', 'b'] }] },
    'restarts deployment/web (key LOG_LEVEL); statefulset/db (keys a, b)',
  ],
  ['one for all of it', { restarts: [{ ...web, keys: [] }] }, 'restarts deployment/web'],
  [
    'many keys',
    { restarts: [{ ...web, keys: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] }] },
    'restarts deployment/web (keys a, b, c, d, e and 2 more)',
  ],
  [
    'keys of which some are only counted',
    { restarts: [{ ...web, keys: ['a', 'b'], moreKeys: 7 }] },
    'restarts deployment/web (keys a, b and 7 more)',
  ],
  [
    'more than can be named',
    { restarts: [web], moreRestarts: 980 },
    'restarts deployment/web (key LOG_LEVEL) and 980 more',
  ],
  ['none, with one left alone', { left: [left('a')] }, 'restarts nothing; 1 left alone (deployment/a: it is excluded)'],
  [
    'one later',
    { restarts: [{ ...web, deferred: later }] },
    `restarts later, ${laterText}: deployment/web (key LOG_LEVEL)`,
  ],
  [
    'one in stages',
    {
      restarts: [
        { ...web, deferred: { gate: 'stages', detail: 'Secret db restarts its users in stages: others go first' } },
      ],
    },
    'restarts later (Secret db restarts its users in stages: others go first): deployment/web (key LOG_LEVEL)',
  ],
  [
    'some later, and others at once',
    {
      restarts: [
        { ...web, deferred: later },
        { ...db, deferred: later },
        { ...web, workload: 'job/once' },
      ],
      left: [left('a')],
    },
    `restarts job/once (key LOG_LEVEL); restarts later, ${laterText}: deployment/web, statefulset/db (key LOG_LEVEL); ` +
      '1 left alone (deployment/a: it is excluded)',
  ],
  [
    'some left alone',
    { restarts: [web], left: ['a', 'b', 'c', 'd'].map(left), moreLeft: 3 },
    'restarts deployment/web (key LOG_LEVEL); 7 left alone (deployment/a: it is excluded; deployment/b: it is excluded; ' +
      'deployment/c: it is excluded; …)',
  ],
])('%s', (_what, answer, sentence) => {
  expect(describePreview({ ...nothing, ...answer })).toBe(sentence);
});

describe('the messages', () => {
  const digester = new ContentDigester(Buffer.alloc(32, 1));
  const content = digester.digest({ kind: 'Secret', namespace: 'shop', name: 'db' }, [
    ['z', Buffer.from('hunter2')],
    ['__proto__', Buffer.from('x')],
    ['A', Buffer.from('y')],
  ]);
  const former = digester.digest({ kind: 'Secret', namespace: 'shop', name: 'db' }, [['z', Buffer.from('swordfish')]]);
  const question = {
    ...{ v: 2, keyId: digester.keyId, kind: 'Secret', namespace: 'shop', name: 'db', labels: {}, switchedOn: [] },
    update: updateOf('uid-db', former, content),
  } as const;

  it('contain the digests of the content, for any key names', () => {
    const travelled = parsePreviewQuestion(JSON.parse(JSON.stringify(question)));
    expect(contentOf(travelled).equals(content)).toBe(true);
    expect(contentOf(travelled).whole()).toBe(content.whole());
    expect(travelled.update?.before).toBe(former.whole());
    expect(JSON.stringify(question)).not.toMatch(/hunter2|swordfish/);
  });

  it('contain no content for a creation', () => {
    const creation = parsePreviewQuestion({ ...question, update: undefined });
    expect(contentOf(creation).keyNames).toEqual([]);
  });

  it.each([
    ['of the version without a proof', { ...question, v: 1 }],
    ['an update without a uid', { ...question, update: { ...question.update, uid: '' } }],
    ['an update without a proof', { ...question, update: { ...question.update, before: undefined } }],
    ['an unknown kind', { ...question, kind: 'Pod' }],
    ['an invalid digest', { ...question, update: { ...question.update, after: [['a', 'short']] } }],
    ['nothing', undefined],
  ])('are rejected: %s', (_what, value) => {
    expect(() => parsePreviewQuestion(value)).toThrow(PreviewError);
  });

  it('reject an invalid answer', () => {
    expect(parsePreviewAnswer(nothing)).toEqual(nothing);
    // A newer reconciler may know other gates, and tell more of them.
    const newer = { ...nothing, restarts: [{ ...web, deferred: { gate: 'moon', detail: 'it is full', phase: 1 } }] };
    const { restarts } = parsePreviewAnswer(newer);
    expect(restarts).toEqual([{ ...web, deferred: { gate: 'moon', detail: 'it is full' } }]);
    expect(() => parsePreviewAnswer({ ...nothing, restarts: ['web'] })).toThrow(PreviewError);
  });
});
