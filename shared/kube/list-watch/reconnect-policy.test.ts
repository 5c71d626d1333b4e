import { describe, expect, it } from '@jest/globals';
import { CredentialsError } from '../access/credentials';
import { ConnectionError, ProtocolError, TimeoutError, errorFromStatus } from '../errors';
import { isSlow, mayResume, reconnectDelayMs, reconnectReason } from './reconnect-policy';
import { requestTarget } from '../request-target';

const target = requestTarget('GET', '/api/v1/secrets', true);
const answer = (status: number, retryAfterMs?: number): ReturnType<typeof errorFromStatus> =>
  errorFromStatus(status, undefined, target, retryAfterMs);
const draw = (float: number): { float(): number; bytes(length: number): Buffer } => ({
  float: () => float,
  bytes: (length) => Buffer.alloc(length),
});

describe('reconnect policy', () => {
  it.each([
    [new ConnectionError('x'), true, false, 'connection'],
    [new TimeoutError('x'), true, false, 'connection'],
    [new CredentialsError('x'), true, false, 'refused'],
    [new ProtocolError('x'), false, false, 'malformed'],
    [answer(400), false, false, 'refused'],
    [answer(401), true, false, 'refused'],
    [answer(403), true, true, 'refused'],
    [answer(404), false, true, 'refused'],
    [answer(410), false, false, 'expired'],
    [answer(429), true, false, 'refused'],
    [answer(500), true, false, 'refused'],
    [answer(503), true, false, 'refused'],
    [answer(504), false, false, 'refused'],
  ] as const)('%s', (error, resume, slow, reason) => {
    expect([mayResume(error), isSlow(error), reconnectReason(error)]).toEqual([resume, slow, reason]);
  });

  it.each([
    ['first failure, least', undefined, 0, 0, 500],
    ['first failure, most', undefined, 0, 1, 1000],
    ['third failure, least', undefined, 2, 0, 500],
    ['third failure, most', undefined, 2, 1, 4000],
    ['hundredth failure, most', undefined, 99, 1, 30_000],
    ['Retry-After, least', answer(429, 7000), 0, 0, 7000],
    ['Retry-After, most', answer(429, 7000), 0, 1, 8750],
    ['Retry-After below our own backoff', answer(503, 1000), 99, 1, 30_000],
    ['absurd Retry-After', answer(503, 86_400_000), 0, 0, 120_000],
    ['refused by a server that has just started', answer(403), 0, 1, 1000],
    ['refused five times, most', answer(403), 4, 1, 16_000],
    ['no rights, least', answer(403), 5, 0, 30_000],
    ['no rights, most', answer(403), 5, 1, 60_000],
    ['no such API', answer(404), 5, 0, 30_000],
  ] as const)('%s', (_what, error, attempt, float, delayMs) => {
    expect(reconnectDelayMs(error, attempt, draw(float))).toBe(delayMs);
  });
});
