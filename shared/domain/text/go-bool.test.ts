import { expect, it } from '@jest/globals';
import { parseGoBool } from './go-bool';

it.each(['1', 't', 'T', 'TRUE', 'true', 'True'])('§1.1 reads %j as true', (text) =>
  expect(parseGoBool(text)).toBe(true),
);

it.each(['0', 'f', 'F', 'FALSE', 'false', 'False'])('§1.1 reads %j as false', (text) =>
  expect(parseGoBool(text)).toBe(false),
);

it.each(['', 'tRUE', ' true', 'true ', 'yes', 'on', '2', 'toString'])('§1.1 does not recognise %j', (text) =>
  expect(parseGoBool(text)).toBeUndefined(),
);
