import { expect, it } from '@jest/globals';
import { describeProblem } from './annotation-problem';

const problem = { key: 'reroll.dev/settle', value: '5', message: 'is no duration', fix: 'write 5s' };

it('names object, key, value and fix', () => {
  expect(describeProblem('deployment shop/web', problem)).toBe(
    'deployment shop/web: annotation reroll.dev/settle="5" is no duration; write 5s',
  );
});

it('stays one short line whatever the value', () => {
  const line = describeProblem('deployment shop/web', { ...problem, value: `a\nb${'c'.repeat(5000)}` });
  expect(line).not.toContain('\n');
  expect(line.length).toBeLessThan(250);
  expect(line).toContain(`${'c'.repeat(97)}…"`);
});
