import { expect, it } from '@jest/globals';
import type { AnnotationProblem } from './annotation-problem';
import { describeProblem, shortened } from './annotation-problem';

const problem: AnnotationProblem = {
  code: 'bad-duration',
  key: 'reroll.dev/settle',
  value: '5',
  message: 'is not a duration',
  fix: 'write 5s',
};

it('names object, key, value and fix', () => {
  expect(describeProblem('deployment shop/web', problem)).toBe(
    'deployment shop/web: annotation reroll.dev/settle="5" is not a duration; write 5s',
  );
});

it('does not show a value that may be a secret', () => {
  expect(describeProblem('deployment shop/web', { ...problem, value: undefined })).toBe(
    'deployment shop/web: annotation reroll.dev/settle is not a duration; write 5s',
  );
});

it('stays one short line for any value', () => {
  const line = describeProblem('deployment shop/web', { ...problem, value: `a\nb${'c'.repeat(5000)}` });
  expect(line).not.toContain('\n');
  expect(line.length).toBeLessThan(250);
  expect(line).toContain(`${'c'.repeat(54)}…"`);
});

it('shortens the value first, and keeps the fix', () => {
  const long = { ...problem, value: 'ü'.repeat(50) };
  const line = describeProblem('deployment shop/web', long, 100);
  expect(Buffer.byteLength(line)).toBeLessThanOrEqual(100);
  expect(line).toMatch(/="ü{8}…" is not a duration; write 5s$/);
  expect(Buffer.byteLength(describeProblem(`deployment shop/${'x'.repeat(200)}`, long, 100))).toBeLessThanOrEqual(100);
});

it('is kept without what is never shown of its value', () => {
  const long = { ...problem, value: 'c'.repeat(5000) };
  expect(shortened(long).value?.length).toBeLessThanOrEqual(60);
  expect(describeProblem('x', shortened(long))).toBe(describeProblem('x', long));
  for (const short of [problem, { ...problem, value: undefined }]) expect(shortened(short)).toBe(short);
});
