import { expect, it } from '@jest/globals';
import { parseGoBool } from './go-bool';

it.each(['1', 't', 'T', 'TRUE', 'true', 'True'])('reads %j as true', (text) => expect(parseGoBool(text)).toBe(true));

it.each(['0', 'f', 'F', 'FALSE', 'false', 'False'])('reads %j as false', (text) =>
  expect(parseGoBool(text)).toBe(false),
);

it.each(['', 'tRUE', ' true', 'true ', 'yes', 'on', '2', 'toString'])('knows nothing of %j', (text) =>
  expect(parseGoBool(text)).toBeUndefined(),
);
