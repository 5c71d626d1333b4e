import { expect, it } from '@jest/globals';
import { jsonBody } from './json-body';

it('is one line of JSON, and holds nothing that controls a terminal', () => {
  const value = { name: 'bob\u202e\u009b2J\n', 'k\u200bey': 1 };
  const text = jsonBody(value).toString();
  expect(text).toMatch(/^[^\u202e\u009b\u200b\n]+\n$/);
  expect(JSON.parse(text)).toEqual(value);
});
