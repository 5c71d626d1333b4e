import { expect, it } from '@jest/globals';
import { historyName, isHistoryName } from './history';

it.each([
  [historyName(0), true],
  [historyName(12), true],
  ['reroll-history-', false],
  ['reroll-history-old', false],
  ['reroll-history-1a', false],
  ['reroll-healths-7', false],
])('%s holds a part of the history: %s', (name, isPart) => {
  expect(isHistoryName(name)).toBe(isPart);
});
