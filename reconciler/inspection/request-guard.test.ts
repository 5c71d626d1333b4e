import { describe, expect, it } from '@jest/globals';
import { whyRefused } from './request-guard';

describe('a request', () => {
  it.each(['localhost', 'localhost:9095', 'LOCALHOST:1', '127.0.0.1', '127.0.0.1:65535', '[::1]', '[::1]:9095'])(
    'for host %s is answered',
    (host) => {
      expect(whyRefused({ host })).toBeUndefined();
    },
  );

  it.each([
    undefined,
    '',
    'evil.example',
    'evil.example:9095',
    'localhost.evil.example',
    'evil.example/localhost',
    'localhost:9095.evil.example',
    '127.0.0.1.nip.io',
    '127.0.0.2',
    '10.0.0.1:9095',
    '::1',
    '[::1',
    'localhost:',
    'localhost\n',
    'user@localhost',
  ])('for host %j is refused', (host) => {
    expect(whyRefused(host === undefined ? {} : { host })).toContain('the host of the request must be localhost');
  });

  it.each(['http://evil.example', 'http://localhost:3000', 'http://localhost:9095', 'null', ''])(
    'of a page of origin %j is refused',
    (origin) => {
      expect(whyRefused({ host: 'localhost:9095', origin })).toContain('requests of web pages');
    },
  );

  it.each([
    ['none', true],
    ['same-origin', true],
    ['same-site', false],
    ['cross-site', false],
    ['new-word', false],
  ])('that a browser calls %s: answered: %s', (site, isAnswered) => {
    expect(whyRefused({ host: 'localhost', 'sec-fetch-site': site }) === undefined).toBe(isAnswered);
  });
});
