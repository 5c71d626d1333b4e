import { describe, expect, it } from '@jest/globals';
import { whyForeign, whyUnanswered } from './page-guard';

const token = '0123456789abcdef0123456789abcdef';
const host = '127.0.0.1:8088';
const authorization = `Bearer ${token}`;

describe('the host of a request', () => {
  it.each(['127.0.0.1:8088', 'localhost:8088'])('%s is the page', (own) => {
    expect(whyForeign({ host: own }, 8088)).toBeUndefined();
  });

  it.each(['127.0.0.1', 'localhost', '127.0.0.1:80'])('%s is the page on port 80, which browsers leave out', (own) => {
    expect(whyForeign({ host: own }, 80)).toBeUndefined();
    expect(whyForeign({ host: `${own}.evil.example` }, 80)).toMatchObject({ status: 403 });
  });

  it.each([
    undefined,
    '',
    'evil.example:8088',
    '127.0.0.1',
    '127.0.0.1:8089',
    '127.0.0.1.evil.example:8088',
    '[::1]:8088',
    '0.0.0.0:8088',
    '10.0.0.1:8088',
  ])('%s is not', (foreign) => {
    expect(whyForeign(foreign === undefined ? {} : { host: foreign }, 8088)).toMatchObject({ status: 403 });
  });
});

describe('a question', () => {
  it.each([
    ['of the page', { host, authorization, 'sec-fetch-site': 'same-origin' }],
    ['of a page that says its origin', { host, authorization, origin: 'http://127.0.0.1:8088' }],
    ['of curl', { host, authorization }],
  ])('is answered: %s', (_whose, headers) => {
    expect(whyUnanswered(headers, token)).toBeUndefined();
  });

  it.each([
    ['without a token', 401, { host }],
    ['with another token', 401, { host, authorization: `Bearer ${token.replace('0', '1')}` }],
    ['with a part of the token', 401, { host, authorization: `Bearer ${token.slice(1)}` }],
    ['with more than the token', 401, { host, authorization: `${authorization}0` }],
    ['with a token in upper case', 401, { host, authorization: authorization.toUpperCase() }],
    ['with the token as a cookie', 401, { host, cookie: `token=${token}` }],
    ['of another origin', 403, { host, authorization, origin: 'http://evil.example' }],
    ['of another port of this computer', 403, { host, authorization, origin: 'http://127.0.0.1:3000' }],
    ['of a sandboxed frame', 403, { host, authorization, origin: 'null' }],
    ['that another site causes', 403, { host, authorization, 'sec-fetch-site': 'cross-site' }],
    ['that a page of this computer causes', 403, { host, authorization, 'sec-fetch-site': 'same-site' }],
  ])('is refused: %s', (_whose, status, headers) => {
    expect(whyUnanswered(headers, token)).toMatchObject({ status });
  });
});
