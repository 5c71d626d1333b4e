import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { KeyedHash } from './keyed-hash';

function hmac(key: Uint8Array, ...parts: readonly Uint8Array[]): string {
  const computed = createHmac('sha256', key);
  for (const part of parts) computed.update(part);
  return computed.digest('binary');
}

describe('§4 KeyedHash', () => {
  it('is HMAC-SHA-256, for any key and any parts', () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    fc.assert(
      fc.property(bytes, fc.array(bytes, { maxLength: 4 }), (key, parts) => {
        const keyed = new KeyedHash(Buffer.from(key));
        expect(keyed.of(...parts.map((part) => Buffer.from(part)))).toBe(hmac(key, ...parts));
      }),
    );
  });

  // Test case 6 of RFC 4231: a key that is longer than a block.
  it('gives what RFC 4231 says', () => {
    const keyed = new KeyedHash(Buffer.alloc(131, 0xaa));
    const result = keyed.of(Buffer.from('Test Using Larger Than Block-Size Key - Hash Key First'));
    expect(Buffer.from(result, 'latin1').toString('hex')).toBe(
      '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
    );
  });

  it.each([32 * 1024 - 1, 32 * 1024, 32 * 1024 + 1, 1024 * 1024])('is the same for %i bytes', (length) => {
    const [key, value] = [Buffer.alloc(32, 1), Buffer.alloc(length, 7)];
    const keyed = new KeyedHash(key);
    expect(keyed.of(value)).toBe(hmac(key, value));
    expect(keyed.of(value.subarray(0, 5), value.subarray(5))).toBe(hmac(key, value));
  });

  it('takes nothing over from one message into the next', () => {
    const keyed = new KeyedHash(Buffer.alloc(32, 1));
    const before = keyed.of(Buffer.from('short'));
    keyed.of(Buffer.alloc(40_000, 3));
    keyed.of(Buffer.alloc(20_000, 3));
    expect(keyed.of(Buffer.from('short'))).toBe(before);
  });
});
