import { describe, expect, it } from '@jest/globals';
import { environmentProxy } from './environment-proxy';

const proxy = 'http://proxy:3128';
const proxyOf = (server: string, env: Record<string, string>): string | undefined =>
  environmentProxy(new URL(server), env);

describe('the proxy of the environment', () => {
  it.each<[Record<string, string>, string | undefined]>([
    [{}, undefined],
    [{ HTTPS_PROXY: '' }, undefined],
    [{ HTTPS_PROXY: proxy }, proxy],
    [{ https_proxy: proxy }, proxy],
    [{ HTTPS_PROXY: proxy, https_proxy: 'http://other' }, proxy],
    [{ HTTPS_PROXY: 'proxy:3128' }, proxy],
    [{ HTTPS_PROXY: 'socks5://proxy:1080' }, 'socks5://proxy:1080'],
    [{ HTTP_PROXY: proxy }, undefined],
  ])('for https with %j is %s', (env, expected) => {
    expect(proxyOf('https://api.example.com:6443', env)).toBe(expected);
  });

  it('for http is another', () => {
    const env = { HTTPS_PROXY: 'http://other', HTTP_PROXY: proxy };
    expect(proxyOf('http://api.example.com', env)).toBe(proxy);
  });

  it.each(['https://localhost', 'https://127.0.0.1:6443', 'https://127.8.8.8', 'https://[::1]:6443'])(
    'is not used for %s, which is this machine',
    (server) => {
      expect(proxyOf(server, { HTTPS_PROXY: proxy })).toBeUndefined();
    },
  );

  it.each([
    ['https://api.example.com', '*'],
    ['https://api.example.com', 'api.example.com'],
    ['https://API.example.com', 'api.EXAMPLE.com'],
    ['https://api.example.com', 'example.com'],
    ['https://api.example.com', '.example.com'],
    ['https://api.example.com', '*.example.com'],
    ['https://api.example.com', 'a, b ,,example.com'],
    ['https://api.example.com:6443', 'example.com:6443'],
    ['https://api.example.com', 'example.com:443'],
    ['https://10.1.2.3', '10.1.2.3'],
    ['https://10.1.2.3:6443', '10.0.0.0/8'],
    ['https://[fd00::1]:6443', 'fd00::1'],
    ['https://[fd00::1]:6443', '[fd00::1]:6443'],
    ['https://[fd00::1]:6443', 'fd00::/8'],
  ])('is not used for %s with NO_PROXY=%s', (server, list) => {
    expect(proxyOf(server, { HTTPS_PROXY: proxy, NO_PROXY: list })).toBeUndefined();
    expect(proxyOf(server, { HTTPS_PROXY: proxy, no_proxy: list })).toBeUndefined();
  });

  it.each([
    ['https://api.example.com', ''],
    ['https://example.com', '.example.com'],
    ['https://notexample.com', 'example.com'],
    ['https://api.example.com:6443', 'example.com:443'],
    ['https://11.1.2.3', '10.0.0.0/8'],
    ['https://10.1.2.3', '10.0.0.0/99'],
    ['https://10.1.2.3', 'fd00::/8'],
    ['https://10.1.2.3', '2.3'],
    ['https://api.example.com', 'x/8'],
  ])('is used for %s with NO_PROXY=%s', (server, list) => {
    expect(proxyOf(server, { HTTPS_PROXY: proxy, NO_PROXY: list })).toBe(proxy);
  });
});
