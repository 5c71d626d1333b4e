import { describe, expect, it } from '@jest/globals';
import { formatListenAddress, isLoopback, parseListenAddress } from './listen-address';

describe('parseListenAddress', () => {
  it.each([
    [':9090', { host: undefined, port: 9090 }],
    [':0', { host: undefined, port: 0 }],
    ['127.0.0.1:65535', { host: '127.0.0.1', port: 65535 }],
    ['localhost:80', { host: 'localhost', port: 80 }],
    ['[::1]:9090', { host: '::1', port: 9090 }],
    ['[fe80::1%eth0]:1', { host: 'fe80::1%eth0', port: 1 }],
  ])('parses %s and formats it back', (text, address) => {
    expect(parseListenAddress(text)).toEqual(address);
    expect(formatListenAddress(address)).toBe(text);
  });

  it.each([
    '',
    '9090',
    'host',
    'host:',
    ':65536',
    ':-1',
    ':1.5',
    '::1:9090',
    '[nope]:1',
    '[]:1',
    'a b:1',
    ':99999',
    'http://x:1',
  ])('rejects %j', (text) => {
    expect(parseListenAddress(text)).toBeUndefined();
  });
});

describe('isLoopback', () => {
  it.each([
    ['127.0.0.1:9095', true],
    ['127.8.9.10:9095', true],
    ['[::1]:9095', true],
    ['[0:0:0:0:0:0:0:1]:9095', true],
    [':9095', false],
    ['0.0.0.0:9095', false],
    ['[::]:9095', false],
    ['128.0.0.1:9095', false],
    ['10.0.0.1:9095', false],
    ['[fe80::1%eth0]:9095', false],
    ['[::2]:9095', false],
    ['localhost:9095', false],
    ['127.0.0.1.example.com:9095', false],
  ])('%s is reached by the pod alone: %s', (text, expected) => {
    expect(isLoopback(parseListenAddress(text)!)).toBe(expected);
  });
});
