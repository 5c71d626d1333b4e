import { expect, it } from '@jest/globals';
import { isOlderVersion } from './resource-version';

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
