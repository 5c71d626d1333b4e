import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseCsvRecord } from './csv-record';

describe('parseCsvRecord', () => {
  it.each([
    ['', []],
    ['  ', []],
    ['a', ['a']],
    ['a,b', ['a', 'b']],
    [' a , b ', ['a', 'b']],
    [',a,,b', ['', 'a', '', 'b']],
    ['a,', ['a', '']],
    ['"a,b",c', ['a,b', 'c']],
    ['a, "b,c" ', ['a', 'b,c']],
    ['"say ""hi"""', ['say "hi"']],
    ['""', ['']],
    ['a"b', undefined],
    ['"a"b', undefined],
    ['"a', undefined],
  ])('reads %j as %j', (text, fields) => {
    expect(parseCsvRecord(text)).toEqual(fields);
  });

  it('reads back what was quoted', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (fields) => {
        const record = fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(',');
        expect(parseCsvRecord(record)).toEqual(fields);
      }),
    );
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        parseCsvRecord(text);
      }),
    );
  });
});
