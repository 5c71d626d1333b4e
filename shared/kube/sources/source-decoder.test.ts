import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { budgets } from '../../domain/budgets';
import { ContentDigester } from '../../domain/sources/content-digest';
import type { DigestedSource, SourceRecord } from '../../domain/sources/source';
import type { Decoded } from '../wire/decoder';
import { MalformedObjectError } from '../../domain/kubernetes/malformed-object-error';
import { encodingOf } from '../wire/encoding';
import { ProtocolError } from '../errors';
import type { FixtureObject } from '../wire/protobuf.fixture';
import { bytesField, objectMeta, sourceJson, sourceMessage, varintField, watchFrame } from '../wire/protobuf.fixture';
import { sourceDecoder } from './source-decoder';

const digester = new ContentDigester(Buffer.alloc(32, 1));
const keys = { ignore: 'x/ignore', match: 'x/match' };
const secretsDecoder = sourceDecoder('Secret', digester, keys);

/** The decoders of whole objects and of lists. */
const forms = [
  ['whole', secretsDecoder],
  ['listed', secretsDecoder.metadata],
] as const;

const malformedMetadata: readonly [string, object][] = [
  ['no name', { metadata: { namespace: 'shop', uid: 'u', resourceVersion: '1' } }],
  ['no creation time', { metadata: { name: 'db', namespace: 'shop', uid: 'u', resourceVersion: '1' } }],
  ['no metadata', { metadata: null }],
];

const name = fc.stringMatching(/^[a-z0-9.-]{1,20}$/);
const seconds = fc.integer({ min: 1_000_000_000, max: 4_000_000_000 });
const text = fc.string({ unit: 'grapheme' });
const fixture: fc.Arbitrary<FixtureObject> = fc.record({
  name,
  namespace: name,
  uid: name,
  resourceVersion: name,
  createdAtSeconds: seconds,
  writtenAtSeconds: fc.array(seconds, { maxLength: 3 }),
  annotations: fc.dictionary(
    fc.constantFrom(keys.ignore, keys.match, 'other'),
    fc.constantFrom('true', 'false', 'secret'),
  ),
  data: fc.dictionary(name, text),
  binaryData: fc.dictionary(
    name,
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  ),
});

function both(kind: 'ConfigMap' | 'Secret', object: FixtureObject): [Decoded<DigestedSource>, Decoded<DigestedSource>] {
  const decoder = sourceDecoder(kind, digester, keys);
  return [decoder.fromJson(sourceJson(kind, object)), decoder.fromProtobuf(sourceMessage(object))];
}

function example(changes: Partial<FixtureObject> = {}): FixtureObject {
  return {
    name: 'db',
    namespace: 'shop',
    uid: 'u1',
    resourceVersion: '7',
    createdAtSeconds: 1_700_000_000,
    writtenAtSeconds: [1_700_000_100, 1_700_000_300, 1_700_000_200],
    annotations: { [keys.ignore]: 'true', 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
    data: { password: 'hunter2' },
    binaryData: {},
    ...changes,
  };
}

describe('sourceDecoder', () => {
  it.each(['ConfigMap', 'Secret'] as const)('decodes both encodings of a %s to the same record', (kind) => {
    fc.assert(
      fc.property(fixture, (object) => {
        const [json, protobuf] = both(kind, object);
        const { content: fromJson, ...jsonRest } = json.object;
        const { content: fromProtobuf, ...protobufRest } = protobuf.object;
        expect(protobufRest).toEqual(jsonRest);
        expect(protobuf.key).toBe(json.key);
        expect(fromProtobuf.equals(fromJson)).toBe(true);
      }),
    );
  });

  it.each(['ConfigMap', 'Secret'] as const)(
    'lists a %s by its metadata to the same record, without content',
    (kind) => {
      const decoder = sourceDecoder(kind, digester, keys);
      fc.assert(
        fc.property(fixture, (object) => {
          const whole = sourceJson(kind, object);
          const read = decoder.fromJson(whole);
          const metadataOnly = { ...read, object: { ...read.object, content: 'metadata-only' } };
          for (const json of [{ metadata: whole.metadata }, whole]) {
            expect(decoder.metadata.fromJson(json)).toEqual(metadataOnly);
          }
          for (const message of [bytesField(1, objectMeta(object)), sourceMessage(object)]) {
            expect(decoder.metadata.fromProtobuf!(message)).toEqual(metadataOnly);
          }
        }),
      );
    },
  );

  it('lists objects with malformed content, which is not read', () => {
    const object = { ...sourceJson('Secret', example()), data: ['x'] };
    expect(secretsDecoder.metadata.fromJson(object).object.content).toBe('metadata-only');
  });

  it('keeps what a decision needs', () => {
    const [{ key, resourceVersion, object }] = both('Secret', example());
    expect({ key, resourceVersion }).toEqual({ key: 'shop/db', resourceVersion: '7' });
    expect(object).toMatchObject({
      kind: 'Secret',
      uid: 'u1',
      createdAtMs: 1_700_000_000_000,
      writtenAtMs: 1_700_000_300_000,
      ignore: true,
      match: false,
    });
    const expected = digester.digest({ kind: 'Secret', namespace: 'shop', name: 'db' }, [
      ['password', Buffer.from('hunter2')],
    ]);
    expect(object.content.equals(expected)).toBe(true);
  });

  it('detects a change in any key, and none without one', () => {
    const [before] = both('ConfigMap', example({ data: { a: '1', b: '2' } }));
    const [, same] = both('ConfigMap', example({ data: { b: '2', a: '1' }, resourceVersion: '8' }));
    const [, other] = both('ConfigMap', example({ data: { a: '1', b: '3' } }));
    expect(same.object.content.equals(before.object.content)).toBe(true);
    expect(other.object.content.key('a')).toBe(before.object.content.key('a'));
    expect(other.object.content.key('b')).not.toBe(before.object.content.key('b'));
  });

  describe('with more keys than are looked at', () => {
    const crowd = (last: string): Record<string, string> =>
      Object.fromEntries(Array.from({ length: budgets.sourceKeysRead + 1 }, (_, index) => [`k${String(index)}`, last]));
    const contents = (changes: Partial<FixtureObject>) =>
      both('ConfigMap', example(changes)).map(({ object }) => object.content);

    it.each<[string, Partial<FixtureObject>, boolean]>([
      ['none if only the metadata changes', { resourceVersion: '8', annotations: {} }, true],
      ['a value that changes', { data: { ...crowd('1'), k7: '2' } }, false],
      ['a key that is added', { data: { ...crowd('1'), other: '' } }, false],
      ['a value in the other field', { binaryData: { other: Buffer.from('2') } }, false],
    ])('detects in each encoding %s', (_what, changes, isSame) => {
      const data = crowd('1');
      const before = contents({ data, binaryData: { other: Buffer.from('1') } });
      const after = contents({ data, binaryData: { other: Buffer.from('1') }, ...changes });
      expect(before.map(({ isCoarse }) => isCoarse)).toEqual([true, true]);
      expect(after.map((content, index) => content.equals(before[index]!))).toEqual([isSame, isSame]);
    });
  });

  it.each([{ data: null }, { data: undefined }, { data: {}, binaryData: null }])(
    'Appendix A: treats %j as empty content',
    (fields) => {
      const decoder = sourceDecoder('ConfigMap', digester, keys);
      const { object } = decoder.fromJson({ ...sourceJson('ConfigMap', example()), ...fields });
      expect(object.content.equals(digester.digest({ kind: 'ConfigMap', namespace: 'shop', name: 'db' }, []))).toBe(
        true,
      );
    },
  );

  it.each(forms)('keeps no view of its input bytes: %s', (_form, decoder) => {
    const bytes = sourceMessage(example());
    const { object } = decoder.fromProtobuf!(bytes);
    bytes.fill(0);
    expect(object).toMatchObject({ name: 'db', namespace: 'shop', uid: 'u1', resourceVersion: '7' });
  });

  it.each([
    ['data that is a list', { data: ['x'] }],
    ['an entry that is a number', { data: { pin: 123456 } }],
    ...malformedMetadata,
  ])('rejects a JSON object with %s as malformed, without quoting it', (_what, change) => {
    const object = { ...sourceJson('Secret', example()), ...change };
    const decode = (): unknown => secretsDecoder.fromJson(object);
    expect(decode).toThrow(MalformedObjectError);
    expect(decode).not.toThrow(/123456|hunter2/);
  });

  it.each(malformedMetadata)('rejects one with %s as malformed in a list too', (_what, change) => {
    const object = { ...sourceJson('Secret', example()), ...change };
    expect(() => secretsDecoder.metadata.fromJson(object)).toThrow(MalformedObjectError);
  });

  it.each(forms)('rejects a protobuf object without uid as malformed, and names it: %s', (_form, decoder) => {
    const decode = (): unknown => decoder.fromProtobuf!(sourceMessage(example({ uid: '' })));
    expect(decode).toThrow(expect.objectContaining({ key: 'shop/db', resourceVersion: '7' }));
  });

  it.each(forms)('quotes nothing of a protobuf object without a name: %s', (_form, decoder) => {
    const damaged = sourceMessage(example({ name: '', namespace: 'hunter2' }));
    const decode = (): unknown => decoder.fromProtobuf!(damaged);
    expect(decode).toThrow(MalformedObjectError);
    expect(decode).not.toThrow(/hunter2/);
  });

  it.each(forms)('reports protobuf that does not parse as a broken stream: %s', (_form, decoder) => {
    const bytes = sourceMessage(example());
    expect(() => decoder.fromProtobuf!(bytes.subarray(0, bytes.length - 5))).toThrow(ProtocolError);
  });
});

describe.each(forms)('a protobuf watch, %s', (_form, decoder) => {
  const encoding = encodingOf<SourceRecord>('application/vnd.kubernetes.protobuf;stream=watch', decoder);
  const event = (type: string, object: Buffer): unknown => {
    const [frame] = [...encoding.newFrameSplitter().push(watchFrame(type, object))];
    return encoding.decodeEvent(frame!);
  };

  it('reads objects, deletions, bookmarks and errors', () => {
    expect(event('ADDED', sourceMessage(example()))).toMatchObject({ type: 'upsert', decoded: { key: 'shop/db' } });
    expect(event('DELETED', sourceMessage(example({ uid: '' })))).toEqual({
      type: 'remove',
      key: 'shop/db',
      resourceVersion: '7',
    });
    const end = Buffer.concat([bytesField(1, 'k8s.io/initial-events-end'), bytesField(2, 'true')]);
    const bookmark = bytesField(1, Buffer.concat([bytesField(6, '42'), bytesField(12, end)]));
    expect(event('BOOKMARK', bookmark)).toEqual({ type: 'bookmark', resourceVersion: '42', initialEventsEnd: true });
    const details = bytesField(5, varintField(5, 3));
    const status = Buffer.concat([bytesField(3, 'too old'), bytesField(4, 'Expired'), details, varintField(6, 410)]);
    expect(event('ERROR', status)).toEqual({
      type: 'error',
      status: { code: 410, reason: 'Expired', message: 'too old', causes: [], retryAfterMs: 3000 },
    });
    expect(event('NEW', sourceMessage(example()))).toEqual({ type: 'unknown', name: 'NEW' });
  });

  it.each([Buffer.from([0x0a]), Buffer.alloc(0), bytesField(2, bytesField(1, 'no magic'))])(
    'rejects a broken frame',
    (frame) => {
      expect(() => encoding.decodeEvent(frame)).toThrow(ProtocolError);
    },
  );
});
