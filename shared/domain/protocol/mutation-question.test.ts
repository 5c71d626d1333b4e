import { expect, it } from '@jest/globals';
import { MutationError, parseMutationQuestion, readMutationAnswer } from './mutation-question';

const question = { v: 1, group: 'apps', kind: 'Deployment', namespace: 'shop', object: {} };

it('a question is about a kind that is restarted', () => {
  expect(parseMutationQuestion(question)).toEqual(question);
});

it.each([null, { ...question, kind: 'Pod' }, { ...question, group: '' }, { ...question, v: 2 }])(
  '%j is not a question',
  (value) => {
    expect(() => parseMutationQuestion(value)).toThrow(MutationError);
  },
);

it('an answer is read, and anything else is undefined', () => {
  const answer = { v: 1, annotations: { a: '1' }, template: { annotations: {}, env: [] } };
  expect(readMutationAnswer(answer)).toEqual(answer);
  for (const other of [undefined, 'x', { ...answer, v: 2 }, { ...answer, annotations: { a: 1 } }]) {
    expect(readMutationAnswer(other)).toBeUndefined();
  }
});
