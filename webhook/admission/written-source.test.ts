import { expect, it } from '@jest/globals';
import { budgets } from '../../shared/domain/budgets';
import type { AdmissionRequest } from './admission-review';
import { isOversized } from './written-source';

const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, '']));

it.each([
  ['as many keys as a reconciler reads', 0, false],
  ['one more', 1, true],
])('a source of %s is too large to look at each of its keys: %s', (_what, more, isTooLarge) => {
  const source = { data: keys(budgets.sourceKeysRead - 1), binaryData: { blob: '', ...keys(more) } };
  const [before, after] = [{ oldObject: source }, { object: source }] as unknown as readonly AdmissionRequest[];
  expect([before, after].map((request) => request && isOversized(request))).toEqual([isTooLarge, isTooLarge]);
});
