import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ProtocolError } from '../errors';
import { JsonList } from './json-list';
import type { ListMetadata, ListSplitter } from './decoder';
import { bytesField, protobufList, varint, varintField } from './protobuf.fixture';
import { ProtobufList } from './protobuf-list';

function split(
  splitter: ListSplitter,
  body: Buffer,
  sizes: readonly number[] = [],
): { items: Buffer[]; metadata: ListMetadata } {
  const items: Buffer[] = [];
  for (const chunk of chunks(body, sizes)) for (const item of splitter.push(chunk)) items.push(Buffer.from(item));
  return { items, metadata: splitter.end() };
}

/** Cuts `body` into pieces of the given sizes, repeatedly; without sizes, into one piece. */
function* chunks(body: Buffer, sizes: readonly number[]): Generator<Buffer> {
  let offset = 0;
  for (let index = 0; offset < body.length; index++) {
    const size = sizes.length === 0 ? body.length : (sizes[index % sizes.length] ?? 1);
    yield body.subarray(offset, offset + size);
    offset += size;
  }
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 6 });
const version = { resourceVersion: '7' };

describe('JsonList', () => {
  const items = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 6 });
  const others = fc.dictionary(
    fc.string().filter((key) => key !== 'items' && key !== 'metadata' && key !== '__proto__'),
    fc.jsonValue(),
    { maxKeys: 4 },
  );

  it('yields the items and the metadata of any list, wherever it is cut and whatever surrounds them', () => {
    fc.assert(
      fc.property(
        items,
        others,
        others,
        fc.boolean(),
        fc.constantFrom(0, 2, '\t'),
        sizes,
        (list, before, after, last, indent, cuts) => {
          const metadata = { resourceVersion: '7', continue: 'token"\\' };
          const body = last
            ? { ...before, items: list, ...after, metadata }
            : { ...before, metadata, items: list, ...after };
          const result = split(new JsonList(), Buffer.from(JSON.stringify(body, null, indent)), cuts);
          const expected = JSON.parse(JSON.stringify(list)) as unknown;
          expect(result.items.map((item) => JSON.parse(item.toString()) as unknown)).toEqual(expected);
          expect(result.metadata).toEqual(metadata);
        },
      ),
    );
  });

  it('rejects every truncated list', () => {
    const body = Buffer.from('{"metadata":{"resourceVersion":"7"},"items":[{"a":"}"},{"b":[1]}],"x":1}');
    for (let length = 0; length < body.length; length++) {
      expect(() => split(new JsonList(), body.subarray(0, length))).toThrow(ProtocolError);
    }
    expect(split(new JsonList(), body).items).toHaveLength(2);
  });

  it.each([
    '{"items":[{}] "metadata":{}}',
    '{"items":[{},]}',
    '{"items":[{} {}]}',
    '{"items":[1]}',
    '{"items":{"a":1}}',
    '{"kind":"Status"}',
    '{"items":[]} {',
    '{,"items":[]}',
    '{"metadata":{"resourceVersion":}},"items":[]}',
    '[{}]',
    '<html></html>',
  ])('rejects %s', (body) => {
    expect(() => split(new JsonList(), Buffer.from(body))).toThrow(ProtocolError);
  });

  it('treats null as no items, as Go writes an empty list', () => {
    expect(split(new JsonList(), Buffer.from('{"metadata":{"resourceVersion":"7"},"items":null}'))).toEqual({
      items: [],
      metadata: { resourceVersion: '7', continue: undefined },
    });
  });

  it('rejects an endless item before it fills the memory', () => {
    const list = new JsonList();
    expect([...list.push(Buffer.from('{"items":[{"a":"'))]).toEqual([]);
    const megabyte = Buffer.alloc(1024 * 1024, 'x');
    expect(() => {
      for (let i = 0; i < 17; i++) expect([...list.push(megabyte)]).toEqual([]);
    }).toThrow(/limit is 16777216/);
  });
});

describe('ProtobufList', () => {
  const items = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 6 });

  it('yields the items and the metadata of any list, wherever it is cut', () => {
    fc.assert(
      fc.property(items, sizes, (list, cuts) => {
        const raw = list.map((item) => Buffer.from(item));
        const result = split(new ProtobufList(), protobufList(raw, { resourceVersion: '7', continue: 'next' }), cuts);
        expect(result.items).toEqual(raw);
        expect(result.metadata).toEqual({ resourceVersion: '7', continue: 'next' });
      }),
    );
  });

  it('skips unknown fields, in the envelope and in the list', () => {
    const fixed64 = Buffer.concat([varint(9 * 8 + 1), Buffer.alloc(8)]);
    const fixed32 = Buffer.concat([varint(9 * 8 + 5), Buffer.alloc(4)]);
    const unknown = Buffer.concat([fixed64, varintField(10, 2 ** 40), fixed32, bytesField(11, Buffer.alloc(5000))]);
    const list = Buffer.concat([unknown, bytesField(2, 'item'), unknown, bytesField(1, bytesField(2, '7'))]);
    const body = Buffer.concat([Buffer.from('k8s\0'), unknown, bytesField(2, list), unknown]);
    for (const cut of [1, 3, 1000]) {
      expect(split(new ProtobufList(), body, [cut])).toEqual({
        items: [Buffer.from('item')],
        metadata: { resourceVersion: '7', continue: undefined },
      });
    }
  });

  it('rejects every list that is cut within its items', () => {
    const body = protobufList([Buffer.from('one'), Buffer.from('two')], version);
    const listEnd = body.length - 4;
    for (let length = 0; length < listEnd; length++) {
      expect(() => split(new ProtobufList(), body.subarray(0, length))).toThrow(ProtocolError);
    }
  });

  it.each([
    ['another magic number', Buffer.from('k9s\0\x12\0')],
    ['an item longer than its list', Buffer.concat([Buffer.from('k8s\0'), bytesField(2, Buffer.from([0x12, 50]))])],
    [
      'an item beyond the limit',
      Buffer.concat([Buffer.from('k8s\0\x12'), varint(2 ** 40), Buffer.from([0x12]), varint(2 ** 30)]),
    ],
    ['an unused wire type', Buffer.from('k8s\0\x0b')],
    ['an endless varint', Buffer.concat([Buffer.from('k8s\0'), Buffer.alloc(30, 0xff)])],
    ['field number 0', Buffer.from('k8s\0\x02\x00')],
  ])('rejects %s', (_what, body) => {
    expect(() => split(new ProtobufList(), body)).toThrow(ProtocolError);
  });

  it('does not read an item beyond the end of its list, though bytes follow', () => {
    const body = Buffer.concat([
      Buffer.from('k8s\0'),
      bytesField(2, Buffer.from([0x12, 4, 0x61])),
      bytesField(3, 'abcd'),
    ]);
    expect(() => [...new ProtobufList().push(body)]).toThrow(/beyond its list/);
  });

  it('throws only ProtocolErrors, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          split(new ProtobufList(), Buffer.concat([Buffer.from('k8s\0'), bytes]), [7]);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(ProtocolError);
        }
      }),
    );
  });
});
