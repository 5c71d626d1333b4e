import { expect, it } from '@jest/globals';
import { LintError, parseLintQuestion, readLintAnswer } from './lint-answer';

const question = { v: 1, group: 'apps', kind: 'ReplicaSet', namespace: 'shop', object: {} };
const answer = { v: 1, findings: [{ message: 'no', provisional: false }] };

it('a question may be about any kind', () => {
  expect(parseLintQuestion(question)).toEqual(question);
  expect(() => parseLintQuestion({ ...question, v: 2 })).toThrow(LintError);
});

it('an answer is read, and anything else is undefined', () => {
  expect(readLintAnswer(answer)).toEqual(answer);
  const long = { message: 'x'.repeat(2_000), provisional: false };
  for (const other of [
    ...[undefined, 'x', { ...answer, v: 2 }, { v: 1, findings: ['no'] }, { v: 1, findings: [{ message: 'no' }] }],
    ...[
      { v: 1, findings: [long] },
      { v: 1, findings: Array.from({ length: 101 }, () => answer.findings[0]) },
    ],
  ]) {
    expect(readLintAnswer(other)).toBeUndefined();
  }
});
