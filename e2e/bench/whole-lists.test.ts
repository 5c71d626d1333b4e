import { expect, it } from '@jest/globals';
import { isWholeList } from './whole-lists';

it.each([
  ['a list', 'list', '/api/v1/secrets', true],
  ['a page of a list', 'list', '/api/v1/secrets?limit=500&continue=abc', true],
  ['a watch that begins with all objects', 'watch', '/api/v1/secrets?watch=true&sendInitialEvents=true', true],
  ['a watch that goes on from a version', 'watch', '/api/v1/secrets?watch=true&resourceVersion=7', false],
  ['the version of a resource', 'list', '/api/v1/secrets?limit=1', false],
  ['the past of an object', 'list', '/api/v1/secrets?fieldSelector=metadata.name%3Dkeys&resourceVersion=7', false],
  ['one object', 'get', '/api/v1/namespaces/shop/secrets/keys', false],
])('%s', (_what, verb, path, expected) => expect(isWholeList({ verb, path })).toBe(expected));
