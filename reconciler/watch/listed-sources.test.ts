import { expect, it } from '@jest/globals';
import { everything, parseSelector } from '../../shared/domain/kubernetes/selector';
import { listedSources } from './listed-sources';

it.each<[string, boolean, string]>([
  ['', false, ''],
  ['', true, '!reroll.dev/kept'],
  ['team=a', false, 'team=a'],
  ['team=a', true, 'team=a,!reroll.dev/kept'],
])('%j, with a rollback: %s', (text, rollback, expected) => {
  const sourceSelector = text === '' ? everything : parseSelector(text);
  expect(listedSources({ sourceSelector, rollback }).text).toBe(expected);
});
