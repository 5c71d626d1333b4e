import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeTokenState, encodeTokenState } from './token-data';

const token = 'd'.repeat(64);
const sinceMs = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
const state = { tokens: [{ token, sinceMs }], namedSinceMs: sinceMs };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('the Secret of the tokens', () => {
  it.each([
    ['with', state],
    ['without', { ...state, namedSinceMs: undefined }],
  ])('returns what was stored, %s a wait', (_what, state) => {
    expect(decodeTokenState(encodeTokenState(state, {}))).toEqual({ ...state, problem: undefined });
  });

  it('keeps the keys of others and takes back its own', () => {
    const before = { ...encodeTokenState(state, {}), 'their.key': 'eA==' };
    const after = encodeTokenState({ ...state, namedSinceMs: undefined }, before);
    expect(after['their.key']).toBe('eA==');
    expect(Object.keys(after).sort()).toEqual(['their.key', 'tokens.json']);
  });

  it.each([
    ['undefined', undefined],
    ['empty', {}],
    ['of others', { 'their.key': 'eA==' }],
  ])('with data that is %s holds no token, which is not a problem', (_what, data) => {
    expect(decodeTokenState(data)).toEqual({ tokens: [], namedSinceMs: undefined, problem: undefined });
  });

  it('restarts a wait whose start is unreadable', () => {
    const damaged = { ...encodeTokenState(state, {}), 'rotation.json': base64('{"namedSince":"soon"}') };
    expect(decodeTokenState(damaged)).toEqual({ ...state, namedSinceMs: undefined, problem: undefined });
  });

  it('never causes an exception, whatever it holds, and is never quoted', () => {
    const damage = fc.record({ 'tokens.json': fc.oneof(fc.string(), fc.base64String(), fc.anything()) });
    fc.assert(
      fc.property(damage, (data) => {
        const { tokens, problem } = decodeTokenState(data);
        expect(tokens).toEqual([]);
        expect(problem).toBe('"tokens.json" does not hold tokens');
      }),
      { numRuns: 300 },
    );
    const short = { 'tokens.json': base64(JSON.stringify({ v: 1, tokens: [{ token: 'tell-tale', since: 'x' }] })) };
    expect(JSON.stringify(decodeTokenState(short))).not.toContain('tell-tale');
  });
});
