import { describe, expect, it } from '@jest/globals';
import { pooledRandom, randomHex, systemRandom } from './random';

/** Counts up, so that each two bytes are given once. */
function counting() {
  const asked: number[] = [];
  let next = 0;
  const entropy = (length: number): Buffer => {
    asked.push(length);
    const bytes = Buffer.alloc(length);
    for (let at = 0; at < length; at += 2) bytes.writeUInt16BE(next++, at);
    return bytes;
  };
  return { asked, random: pooledRandom(entropy) };
}

describe('pooledRandom', () => {
  it('gives each byte once', () => {
    const { random } = counting();
    const ids = Array.from({ length: 1_000 }, () => randomHex(random, 8));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.slice(0, 2)).toEqual(['00000001', '00020003']);
  });

  it('asks for the bytes of many ids at once, and for those of a key alone', () => {
    const { asked, random } = counting();
    for (let id = 0; id < 256; id++) random.bytes(4);
    expect(asked).toEqual([1_024]);
    expect(random.bytes(32)).toHaveLength(32);
    expect(asked).toEqual([1_024, 32]);
    random.bytes(16);
    expect(asked).toEqual([1_024, 32, 1_024]);
  });

  it('gives bytes that nobody else can change', () => {
    const { random } = counting();
    random.bytes(4).fill(0xff);
    random.bytes(4).fill(0xff);
    expect(random.bytes(4).toString('hex')).toBe('00040005');
  });

  it('gives floats from 0 to 1', () => {
    expect(counting().random.float()).toBe(1 / 2 ** 32);
    const highest = pooledRandom((length) => Buffer.alloc(length, 0xff));
    expect(highest.float()).toBeLessThan(1);
  });
});

describe('systemRandom', () => {
  it('gives other ids each time', () => {
    const ids = Array.from({ length: 2_000 }, () => randomHex(systemRandom, 16));
    expect(new Set(ids).size).toBe(ids.length);
  });
});
