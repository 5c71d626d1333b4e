import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { absent, ContentDigester } from './content-digest';

const digester = new ContentDigester(Buffer.alloc(32, 1));

function digest(entries: Record<string, string>, name = 'app', by = digester) {
  return by.digest(
    'ConfigMap',
    'shop',
    name,
    Object.entries(entries).map(([key, value]) => [key, Buffer.from(value)] as const),
  );
}

describe('§4 ContentDigester', () => {
  it('tells a changed key from an unchanged one', () => {
    const before = digest({ color: 'red', size: '1' });
    const after = digest({ color: 'blue', size: '1' });
    expect(after.key('size')).toBe(before.key('size'));
    expect(after.key('color')).not.toBe(before.key('color'));
    expect(after.whole()).not.toBe(before.whole());
    expect(before.differingKeys(after)).toEqual(['color']);
  });

  it('names added and removed keys as differing', () => {
    expect(digest({ a: '1', b: '2' }).differingKeys(digest({ b: '2', c: '3' }))).toEqual(['a', 'c']);
  });

  it('does not depend on the order of the keys', () => {
    expect(digest({ b: '2', a: '1' }).equals(digest({ a: '1', b: '2' }))).toBe(true);
  });

  it('gives 128 bits in base64url, and says when a key is not there', () => {
    expect(digest({ a: '1' }).key('a')).toMatch(/^[\w-]{22}$/);
    expect(digest({ a: '1' }).whole()).toMatch(/^[\w-]{22}$/);
    expect(digest({ a: '1' }).key('b')).toBe(absent);
  });

  it('gives the same content other digests in another source, under another key, and from a plain hash', () => {
    const pin = digest({ pin: '123456' }).key('pin');
    expect(digest({ pin: '123456' }, 'other').key('pin')).not.toBe(pin);
    expect(digest({ pin: '123456' }, 'app', new ContentDigester(Buffer.alloc(32, 2))).key('pin')).not.toBe(pin);
    expect(createHash('sha256').update('123456').digest('base64url')).not.toContain(pin);
  });

  it('names its key without telling it', () => {
    expect(digester.keyId).toHaveLength(8);
    expect(new ContentDigester(Buffer.alloc(32, 2)).keyId).not.toBe(digester.keyId);
  });

  // Computed apart from it: these stand on the workloads of every install.
  it('digests as it always has', () => {
    const frame = (text: string): Buffer => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(Buffer.byteLength(text));
      return Buffer.concat([length, Buffer.from(text)]);
    };
    const keyOf = (key: string, value: string): string =>
      createHmac('sha256', Buffer.alloc(32, 1))
        .update(Buffer.concat(['ConfigMap', 'shop', 'app', key].map(frame)))
        .update(value)
        .digest()
        .toString('base64url', 0, 16);
    const keys = [keyOf('color', 'red'), keyOf('size', '1')];
    const all = createHash('sha256').update(frame('color')).update(frame('size')).update(keys.join('')).digest();
    const content = digest({ size: '1', color: 'red' });
    expect([content.key('color'), content.key('size')]).toEqual(keys);
    expect(content.whole()).toBe(all.toString('base64url', 0, 16));
  });

  it('lets the last of two values of one key count', () => {
    const entries = ['b', 'a', 'b'].map((key, index) => [key, Buffer.from(String(index))] as const);
    const twice = digester.digest('ConfigMap', 'shop', 'app', entries);
    expect(twice.equals(digest({ a: '1', b: '2' }))).toBe(true);
  });

  it('keeps one array for equal sets of keys', () => {
    expect(digest({ a: '1', b: '1' }, 'one').keyNames).toBe(digest({ b: '2', a: '2' }, 'two').keyNames);
  });

  it('compares what was digested before a change of the key with what was digested since', () => {
    const next = new ContentDigester(Buffer.alloc(32, 2), digester);
    const [before, other] = [digest({ color: 'red', size: '1' }), digest({ color: 'blue', size: '1' })];
    const since = digest({ color: 'red', size: '1' }, 'app', next);
    expect(since.whole()).toBe(
      digest({ color: 'red', size: '1' }, 'app', new ContentDigester(Buffer.alloc(32, 2))).whole(),
    );
    expect([before.equals(since), since.equals(before), since.equals(since)]).toEqual([true, true, true]);
    expect([other.equals(since), since.equals(other)]).toEqual([false, false]);
    expect([other.differingKeys(since), since.differingKeys(other)]).toEqual([['color'], ['color']]);
    expect(since.retainedBytes).toBe(2 * before.retainedBytes);
  });

  it('gives equal digests for equal contents only', () => {
    const content = fc.dictionary(fc.string({ minLength: 1 }), fc.string(), { maxKeys: 5 });
    fc.assert(
      fc.property(content, content, (left, right) => {
        const same = JSON.stringify(sorted(left)) === JSON.stringify(sorted(right));
        expect(digest(left).equals(digest(right))).toBe(same);
        expect(digest(left).whole() === digest(right).whole()).toBe(same);
      }),
    );
  });
});

function sorted(content: Record<string, string>): [string, string][] {
  return Object.entries(content).sort(([left], [right]) => (left < right ? -1 : 1));
}
