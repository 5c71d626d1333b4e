import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyText } from '../text/any-text.fixture';
import { framed, KeyedHash } from './keyed-hash';

function hmac(key: Uint8Array, names: readonly string[], value: Uint8Array): string {
  const computed = createHmac('sha256', key);
  for (const name of names) computed.update(framed(name));
  return computed.update(value).digest('binary');
}

describe('§4 KeyedHash', () => {
  it('is HMAC-SHA-256, for any key, names and value', () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    const names = fc.array(fc.oneof(fc.string(), anyText), { maxLength: 4 });
    fc.assert(
      fc.property(bytes, names, bytes, (key, names, value) => {
        expect(new KeyedHash(Buffer.from(key)).of(names, Buffer.from(value))).toBe(hmac(key, names, value));
      }),
    );
  });

  // Test case 6 of RFC 4231: a key that is longer than a block.
  it('matches RFC 4231', () => {
    const keyed = new KeyedHash(Buffer.alloc(131, 0xaa));
    const result = keyed.of([], Buffer.from('Test Using Larger Than Block-Size Key - Hash Key First'));
    expect(Buffer.from(result, 'latin1').toString('hex')).toBe(
      '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
    );
  });

  it.each([0, 32_000, 32_700, 32 * 1024, 32 * 1024 + 1, 1024 * 1024])('is the same for %i bytes', (length) => {
    const [key, value] = [Buffer.alloc(32, 1), Buffer.alloc(length, 7)];
    const keyed = new KeyedHash(key);
    expect(keyed.of([], value)).toBe(hmac(key, [], value));
    expect(keyed.of(['shop', 'app'], value)).toBe(hmac(key, ['shop', 'app'], value));
    expect(keyed.of(['ü'.repeat(length)], value)).toBe(hmac(key, ['ü'.repeat(length)], value));
  });

  it('carries nothing over from one message into the next', () => {
    const keyed = new KeyedHash(Buffer.alloc(32, 1));
    const before = keyed.of(['name'], Buffer.from('short'));
    keyed.of(['name'], Buffer.alloc(40_000, 3));
    keyed.of(['longer name'], Buffer.alloc(20_000, 3));
    expect(keyed.of(['name'], Buffer.from('short'))).toBe(before);
  });
});
