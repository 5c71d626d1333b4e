import { expect, it } from '@jest/globals';
import {
  decodeTokens,
  encodeTokens,
  isKnownToken,
  tokenPath,
  WebhookTokenError,
  webhookTokenKey,
  webhookTokenSecretName,
} from './webhook-token';

const older = { token: 'a'.repeat(64), sinceMs: Date.parse('2026-01-02T03:04:05.006Z') };
const newer = { token: 'b'.repeat(64), sinceMs: Date.parse('2026-02-03T04:05:06.007Z') };

it('reads back what it wrote, in the same order', () => {
  expect(decodeTokens(encodeTokens([older, newer]))).toEqual([older, newer]);
});

it('accepts each stored token, and nothing else', () => {
  expect(isKnownToken(older.token, [older, newer])).toBe(true);
  expect(isKnownToken(newer.token, [older, newer])).toBe(true);
  expect(isKnownToken('c'.repeat(64), [older, newer])).toBe(false);
  expect(isKnownToken(older.token.slice(0, 63), [older, newer])).toBe(false);
  expect(isKnownToken('', [older, newer])).toBe(false);
  expect(isKnownToken('', [])).toBe(false);
});

it('builds a path that an API server accepts: segments of lower-case letters and digits', () => {
  expect(tokenPath('validate', older.token)).toMatch(/^\/validate\/[0-9a-f]{64}$/);
});

it.each([
  ['nothing', ''],
  ['no JSON', 'a'.repeat(64)],
  ['another version', JSON.stringify({ v: 2, tokens: [{ token: older.token, since: '2026-01-02T03:04:05Z' }] })],
  ['no token', JSON.stringify({ v: 1, tokens: [] })],
  ['a token that is too short', encodeTokens([{ ...older, token: 'a'.repeat(32) }])],
  ['a token in capitals', encodeTokens([{ ...older, token: 'A'.repeat(64) }])],
])('rejects %s, and quotes none of it', (_what, text) => {
  const decode = (): unknown => decodeTokens(text);
  expect(decode).toThrow(WebhookTokenError);
  expect(decode).toThrow(`Secret ${webhookTokenSecretName}: its key ${webhookTokenKey} does not hold tokens`);
  expect(decode).not.toThrow(/aaaa/i);
});
