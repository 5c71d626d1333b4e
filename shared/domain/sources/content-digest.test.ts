import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { budgets } from '../budgets';
import { absent, ContentDigest, ContentDigester, everyKey } from './content-digest';

const digester = new ContentDigester(Buffer.alloc(32, 1));

function digest(entries: Record<string, string>, name = 'app', by = digester) {
  return by.digest(
    { kind: 'ConfigMap', namespace: 'shop', name },
    Object.entries(entries).map(([key, value]) => [key, Buffer.from(value)] as const),
  );
}

describe('§4 ContentDigester', () => {
  it('distinguishes a changed key from an unchanged one', () => {
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

  it('returns 128 bits in base64url, and marks a missing key as absent', () => {
    expect(digest({ a: '1' }).key('a')).toMatch(/^[\w-]{22}$/);
    expect(digest({ a: '1' }).whole()).toMatch(/^[\w-]{22}$/);
    expect(digest({ a: '1' }).key('b')).toBe(absent);
  });

  it('digests the same content differently in another source, under another key, and in a plain hash', () => {
    const pin = digest({ pin: '123456' }).key('pin');
    expect(digest({ pin: '123456' }, 'other').key('pin')).not.toBe(pin);
    expect(digest({ pin: '123456' }, 'app', new ContentDigester(Buffer.alloc(32, 2))).key('pin')).not.toBe(pin);
    expect(createHash('sha256').update('123456').digest('base64url')).not.toContain(pin);
  });

  it('identifies its key without revealing it', () => {
    expect(digester.keyId).toHaveLength(8);
    expect(new ContentDigester(Buffer.alloc(32, 2)).keyId).not.toBe(digester.keyId);
  });

  // Computed independently: such digests are stored on the workloads of every install.
  it('digests never change between versions', () => {
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

  it('the last of two values for one key counts', () => {
    const entries = ['b', 'a', 'b'].map((key, index) => [key, Buffer.from(String(index))] as const);
    const twice = digester.digest({ kind: 'ConfigMap', namespace: 'shop', name: 'app' }, entries);
    expect(twice.equals(digest({ a: '1', b: '2' }))).toBe(true);
  });

  it('keeps one array for equal sets of keys', () => {
    expect(digest({ a: '1', b: '1' }, 'one').keyNames).toBe(digest({ b: '2', a: '2' }, 'two').keyNames);
  });

  it('compares digests from before and after a digest key rotation', () => {
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

  it('returns equal digests for equal contents only', () => {
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

describe('a source with too many keys', () => {
  const most = budgets.sourceKeys;
  const keysOf = (count: number, changes: Record<string, string> = {}): Record<string, string> => ({
    ...Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, String(index)])),
    ...changes,
  });

  it('has one digest, which represents each of its keys', () => {
    const content = digest(keysOf(most + 1));
    expect(content.isCoarse).toBe(true);
    expect(content.keyNames).toEqual([everyKey]);
    expect(content.key('k1')).toMatch(/^[\w-]{22}$/);
    expect([content.key('k2'), content.key('not there')]).toEqual([content.key('k1'), content.key('k1')]);
    expect(digest(keysOf(most)).isCoarse).toBe(false);
  });

  it('is as coarse if the names of few keys are too long', () => {
    const long = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`${'n'.repeat(240)}${index}`, '']));
    expect(digest(long).isCoarse).toBe(true);
  });

  it.each<[string, Record<string, string>]>([
    ['a key that changes', keysOf(most + 1, { k7: 'other' })],
    ['the last key', keysOf(most + 1, { [`k${most}`]: 'other' })],
    ['a key that appears', keysOf(most + 1, { other: '' })],
    ['a key with another name', { ...keysOf(most), l: String(most) }],
    ['content that moves from one key to the next', keysOf(most + 1, { k1: '12', k2: '' })],
  ])('detects %s', (_, after) => {
    const [one, other] = [digest(keysOf(most + 1)), digest(after)];
    expect(other.equals(one)).toBe(false);
    expect(other.whole()).not.toBe(one.whole());
    expect(other.key('k1')).not.toBe(one.key('k1'));
    expect(one.differingKeys(other)).toEqual([everyKey]);
  });

  // JSON.parse puts names that are numbers first; protobuf has them in alphabetical order.
  it('has the same digest in any order of its keys, also from an iterator', () => {
    const entries = Array.from({ length: most + 1 }, (_, index) => [String(index), Buffer.from(`v${index}`)] as const);
    const sorted = entries.toSorted(([left], [right]) => (left < right ? -1 : 1));
    const once = function* () {
      yield* sorted;
    };
    const [one, ...others] = [entries, sorted, entries.toReversed(), new Map(entries), once()].map((content) =>
      digester.digest({ kind: 'ConfigMap', namespace: 'shop', name: 'app' }, content),
    );
    expect(others.map((other) => other.equals(one!))).toEqual([true, true, true, true]);
    expect(others.map((other) => other.whole())).toEqual(others.map(() => one!.whole()));
  });

  it('the last of two values for one key counts', () => {
    const entries = Object.entries(keysOf(most + 1)).map(([key, value]) => [key, Buffer.from(value)] as const);
    const twice = digester.digest({ kind: 'ConfigMap', namespace: 'shop', name: 'app' }, [
      ['k1', Buffer.from('first')],
      ...entries,
    ]);
    expect(twice.equals(digest(keysOf(most + 1)))).toBe(true);
  });

  it('digests large values', () => {
    const large = { ...keysOf(most + 1), big: 'x'.repeat(100_000) };
    expect(digest(large).equals(digest({ ...large }))).toBe(true);
    expect(digest(large).equals(digest({ ...large, big: `${'x'.repeat(99_999)}y` }))).toBe(false);
  });

  it('differs from its state with fewer keys, in either order', () => {
    const [few, many] = [digest(keysOf(most)), digest(keysOf(most + 1))];
    expect([few.differingKeys(many), many.differingKeys(few)]).toEqual([[everyKey], [everyKey]]);
    expect(few.key('k1')).not.toBe(many.key('k1'));
  });

  it('is compared under the previous digest key, too', () => {
    const next = new ContentDigester(Buffer.alloc(32, 2), digester);
    const [before, after] = [digest(keysOf(most + 1)), digest(keysOf(most + 1), 'app', next)];
    expect(before.equals(after)).toBe(true);
    expect(before.equals(digest(keysOf(most + 1, { k1: 'other' }), 'app', next))).toBe(false);
  });

  it('keeps 16 bytes, and no key names', () => {
    const content = digest(keysOf(100_000));
    expect([content.retainedBytes, content.keyNames.length]).toEqual([16, 1]);
  });
});

describe('what a digest costs', () => {
  /** Counts how often an element of a list is read. */
  function counted(names: readonly string[]) {
    const count = { reads: 0 };
    const list = new Proxy(names, {
      get: (target, field, receiver) => {
        if (typeof field === 'string' && /^\d+$/.test(field)) count.reads++;
        return Reflect.get(target, field, receiver) as unknown;
      },
    });
    return { list, count };
  }

  const names = Array.from({ length: budgets.sourceKeys }, (_, index) => `k${String(index).padStart(5, '0')}`);
  const digests = '0123456789abcdef'.repeat(names.length);
  const perKey = 20;

  it.each<[string, (content: ContentDigest, other: ContentDigest) => unknown]>([
    ['the digest of the whole content', (content) => content.whole()],
    ['a comparison', (content, other) => content.equals(other)],
    ['what differs', (content, other) => content.differingKeys(other)],
    ['a digest of each key', (content) => names.map((name) => content.key(name))],
  ])('%s reads each name a few times', (_, work) => {
    const { list, count } = counted(names);
    const other = new ContentDigest([...names.slice(1), 'l'], digests);
    work(new ContentDigest(list, digests), other);
    expect(count.reads).toBeLessThan(perKey * names.length);
  });
});

describe('shared key names', () => {
  const namesOf = (write: number, count: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${write}-${index}-key`, '']));
  const inNamespace = (by: ContentDigester, namespace: string, entries: Record<string, string>) =>
    by.digest(
      { kind: 'ConfigMap', namespace, name: 'app' },
      Object.entries(entries).map(([key, value]) => [key, Buffer.from(value)] as const),
    );

  it('are bounded for each namespace, however many sets of keys it makes up', () => {
    const by = new ContentDigester(Buffer.alloc(32, 3));
    const common = inNamespace(by, 'shop', { 'tls.crt': '', 'tls.key': '' });
    for (let write = 0; write < 2_000; write++) inNamespace(by, 'tenant', namesOf(write, 20));
    expect(inNamespace(by, 'pay', { 'tls.crt': '', 'tls.key': '' }).keyNames).toBe(common.keyNames);
  });

  it('are evicted when they take too much, the oldest first', () => {
    const by = new ContentDigester(Buffer.alloc(32, 3));
    const [first, last] = [namesOf(0, 100), namesOf(999, 100)];
    const kept = inNamespace(by, 'tenant', first).keyNames;
    for (let write = 1; write < 1_000; write++) inNamespace(by, 'tenant', namesOf(write, 100));
    expect(inNamespace(by, 'tenant', first).keyNames).not.toBe(kept);
    expect(inNamespace(by, 'tenant', last).keyNames).toBe(inNamespace(by, 'tenant', last).keyNames);
  });

  it('do not include large sets, which no two sources have in common', () => {
    const by = new ContentDigester(Buffer.alloc(32, 3));
    const large = namesOf(0, 2_000);
    expect(inNamespace(by, 'shop', large).keyNames).not.toBe(inNamespace(by, 'shop', large).keyNames);
  });

  it('are not confused by a CSI object id that looks like several names', () => {
    const by = new ContentDigester(Buffer.alloc(32, 3));
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '/', '\0', ',', '"'), minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 3 }), (names) => {
        const entries = Object.fromEntries(names.map((each) => [each, '']));
        expect(inNamespace(by, 'shop', entries).keyNames).toEqual(names.toSorted());
      }),
      { numRuns: 2_000 },
    );
  });
});
