import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ChangeRecord } from './change-record';
import { boundedChangeRecord, ChangeRecordError, parseChangeRecord } from './change-record';

const record: ChangeRecord = {
  v: 1,
  id: '0b0a1c2d',
  kind: 'Secret',
  namespace: 'shop',
  name: 'db.creds',
  uid: '7c1f',
  digest: 'A-_'.padEnd(22, '0'),
  keyId: 'abcd_-12',
  changed: { added: [], changed: ['password'], removed: ['old'] },
  user: 'system:serviceaccount:ci:deployer',
  observedAtMs: 1_767_225_600_000,
};

describe('parseChangeRecord', () => {
  it('reads a record, with and without what is optional', () => {
    expect(parseChangeRecord(record)).toEqual(record);
    const full = { ...record, manager: 'kubectl', replaces: '41' };
    expect(parseChangeRecord(JSON.parse(JSON.stringify(full)))).toEqual(full);
  });

  it('drops unknown fields', () => {
    expect(parseChangeRecord({ ...record, value: 'x', changed: { ...record.changed, values: ['x'] } })).toEqual(record);
  });

  it.each<[string, unknown]>([
    ['a few', ['system:authenticated']],
    ['too many', Array.from({ length: 5_000 }, () => 'g'.repeat(900))],
    ['no list', 'dev'],
  ])('drops the user groups that older webhooks sent: %s', (_what, groups) => {
    expect(parseChangeRecord({ ...record, groups })).toEqual(record);
  });

  it.each<[string, object]>([
    ['v', { v: 2 }],
    ['id', { id: '' }],
    ['id', { id: 'x'.repeat(257) }],
    ['kind', { kind: 'SecretProviderClass' }],
    ['namespace', { namespace: '..' }],
    ['name', { name: 'a/b' }],
    ['name', { name: 'a'.repeat(254) }],
    ['uid', { uid: 7 }],
    ['digest', { digest: 'short' }],
    ['digest', { digest: `${record.digest}0` }],
    ['keyId', { keyId: 'abcd+-12' }],
    ['changed', { changed: undefined }],
    ['changed.added', { changed: { ...record.changed, added: Array.from({ length: 101 }, () => 'k') } }],
    ['changed.changed.0', { changed: { ...record.changed, changed: [''] } }],
    ['changed.removed.0', { changed: { ...record.changed, removed: ['k'.repeat(254)] } }],
    ['user', { user: 'x'.repeat(257) }],
    ['manager', { manager: 'x'.repeat(257) }],
    ['replaces', { replaces: 'x'.repeat(257) }],
    ['observedAtMs', { observedAtMs: -1 }],
    ['observedAtMs', { observedAtMs: 1.5 }],
  ])('rejects a bad %s and names it', (field, change) => {
    const parse = () => parseChangeRecord({ ...record, ...change });
    expect(parse).toThrow(ChangeRecordError);
    expect(parse).toThrow(`invalid change record: ${field}: `);
  });

  it.each(['9f3e11aa', undefined])('takes the id of a change: %j', (change) => {
    expect(parseChangeRecord({ ...record, change }).change).toBe(change);
  });

  it.each(['<b>', 7, '9f3e11aa0', null])('drops %j, which is no id of a change, and keeps the record', (change) => {
    expect(parseChangeRecord({ ...record, change })).toEqual({ ...record, change: undefined });
  });

  it('never quotes the input, and stays short', () => {
    fc.assert(
      fc.property(
        fc.record({ kind: fc.constant('hunter2'), user: fc.constant(['hunter2']), extra: fc.json() }),
        (value) => {
          expect(() => parseChangeRecord(value)).toThrow(/^(?!.*hunter2).{1,800}$/);
        },
      ),
    );
  });

  it('throws only a ChangeRecordError', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => expect(() => parseChangeRecord(value)).toThrow(ChangeRecordError)),
    );
  });
});

describe('boundedChangeRecord', () => {
  it('leaves a record of usual size unchanged', () => {
    const full = { ...record, manager: 'kubectl' };
    expect(boundedChangeRecord(full)).toEqual(full);
    expect(boundedChangeRecord(record)).toEqual(record);
  });

  it('makes any record acceptable whose only fault is the length of fields for people', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => `key-${index}`);
    const long = 'x'.repeat(5_000);
    const bounded = boundedChangeRecord({
      ...record,
      changed: { added: many, changed: many, removed: many },
      user: long,
      manager: long,
    });
    expect(parseChangeRecord(bounded)).toEqual(bounded);
    expect(JSON.stringify(bounded).length).toBeLessThan(100_000);
  });
});
