import { expect, it } from '@jest/globals';
import { areInOrder, isOlderVersion, versionBefore } from './resource-version';

it.each([
  ['9', '10', true],
  ['10', '9', false],
  ['10', '10', false],
  ['18446744073709551614', '18446744073709551615', true],
  ['9', 'a10', false],
  ['a9', '10', false],
  ['', '1', false],
])('%j is older than %j: %j', (version, than, expected) => {
  expect(isOlderVersion(version, than)).toBe(expected);
});

it.each([
  ['10', '9'],
  ['18446744073709551615', '18446744073709551614'],
  ['1', undefined],
  ['a10', undefined],
  ['0', undefined],
  ['', undefined],
])('before %j was %j', (version, expected) => {
  expect(versionBefore(version)).toBe(expected);
});

it.each<[readonly string[], boolean]>([
  [['9', '10', '10', '11'], true],
  [['9', '11', '10'], false],
  [['9', 'b', '10'], false],
  [['', '9'], false],
])('%j are in order: %j', (versions, expected) => {
  expect(areInOrder(versions)).toBe(expected);
});
