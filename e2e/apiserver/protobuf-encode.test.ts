import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeProtobuf } from './protobuf-decode';
import { encodeProtobuf } from './protobuf-encode';

const key = fc.stringMatching(/^[a-z][a-z0-9.-]{0,8}$/);
const text = fc.string({ minLength: 1, unit: 'grapheme' });
const base64 = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('base64'));
const secondsToYear2100 = fc.integer({ min: 1, max: 4_102_444_800 });

describe('protobuf', () => {
  it('carries a ConfigMap there and back', () => {
    const metadata = fc.record(
      {
        name: text,
        generation: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
        creationTimestamp: secondsToYear2100.map((seconds) =>
          new Date(seconds * 1000).toISOString().replace('.000', ''),
        ),
        annotations: fc.dictionary(key, fc.string(), { minKeys: 1, noNullPrototype: true }),
        finalizers: fc.array(text, { minLength: 1 }),
        ownerReferences: fc.array(fc.record({ name: text, uid: text, controller: fc.boolean() }), { minLength: 1 }),
        managedFields: fc.array(fc.record({ manager: text, fieldsV1: fc.constant({ 'f:data': { 'f:x': {} } }) }), {
          minLength: 1,
        }),
      },
      { requiredKeys: ['name'] },
    );
    const configMap = fc.record(
      {
        metadata,
        data: fc.dictionary(key, fc.string({ unit: 'grapheme' }), { minKeys: 1, noNullPrototype: true }),
        binaryData: fc.dictionary(key, base64, { minKeys: 1, noNullPrototype: true }),
        immutable: fc.boolean(),
      },
      { requiredKeys: ['metadata'] },
    );
    fc.assert(
      fc.property(configMap, (object) => {
        expect(decodeProtobuf('ConfigMap', encodeProtobuf('ConfigMap', object))).toEqual(object);
      }),
    );
  });

  it('keeps the microseconds of a Lease', () => {
    const lease = { metadata: { name: 'l' }, spec: { holderIdentity: 'a', renewTime: '2026-01-02T03:04:05.000678Z' } };
    expect(decodeProtobuf('Lease', encodeProtobuf('Lease', lease))).toEqual(lease);
  });

  it('refuses bytes that end too early', () => {
    const whole = encodeProtobuf('ConfigMap', { metadata: { name: 'a' }, data: { x: '1' } });
    expect(() => decodeProtobuf('ConfigMap', whole.subarray(0, 30))).toThrow("couldn't decode the ConfigMap");
  });
});
