import { describe, expect, it } from '@jest/globals';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { anyText } from '../../domain/text/any-text.fixture';
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

  it('parses what was quoted', () => {
    fc.assert(
      fc.property(fc.array(anyText, { minLength: 1 }), (fields) => {
        const record = fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(',');
        expect(parseCsvRecord(record)).toEqual(fields);
      }),
    );
  });

  it('rejects a quote after a lot of white space without backtracking', () => {
    const text = `${' '.repeat(20_000)}a${' '.repeat(20_000)}"`;
    const read = (): unknown => runInNewContext('read()', { read: () => parseCsvRecord(text) }, { timeout: 5_000 });
    expect(read()).toBeUndefined();
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        parseCsvRecord(text);
      }),
    );
  });
});
