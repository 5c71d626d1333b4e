import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ChangeBatchError, changeBatchBody, maxBatchRecords, parseChangeBatch } from './change-batch';

describe('parseChangeBatch', () => {
  it('reads what changeBatchBody wrote', () => {
    const body = changeBatchBody('batch-1', ['{"v":1}', '"no record"']);
    expect(parseChangeBatch(JSON.parse(body.toString()))).toEqual({
      batch: 'batch-1',
      records: [{ v: 1 }, 'no record'],
    });
  });

  it('does not validate the single records', () => {
    const records = [null, 7, {}, 'text', []];
    expect(parseChangeBatch({ v: 1, batch: 'b', records, newer: true }).records).toEqual(records);
  });

  it.each([
    ['no object', [], 'the batch'],
    ['another version', { v: 2, batch: 'b', records: [] }, 'v'],
    ['no id', { v: 1, records: [] }, 'batch'],
    ['an empty id', { v: 1, batch: '', records: [] }, 'batch'],
    ['an id that is too long', { v: 1, batch: 'b'.repeat(65), records: [] }, 'batch'],
    ['records that are not a list', { v: 1, batch: 'b', records: {} }, 'records'],
    ['too many records', { v: 1, batch: 'b', records: Array(maxBatchRecords + 1).fill({}) }, 'records'],
  ])('rejects %s and names the field', (_what, value, field) => {
    expect(() => parseChangeBatch(value)).toThrow(new RegExp(`invalid batch of change records: ${field}: `));
  });

  it('throws only a ChangeBatchError, for any input', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        try {
          parseChangeBatch(value);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(ChangeBatchError);
        }
      }),
    );
  });
});
