import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyText } from '../../domain/text/any-text.fixture';
import { printable } from '../../domain/text/printable';
import { consoleLine, jsonLine } from './log-line';
import type { LogFields } from './logger';

const timeMs = Date.UTC(2026, 0, 1);

function entry(fields: object, message = 'restarted') {
  return { timeMs, level: 'info', message, fields: fields as LogFields };
}

const circular: Record<string, unknown> = {};
circular['self'] = circular;

const oddValues: readonly [string, unknown, unknown][] = [
  ['NaN', Number.NaN, 'NaN'],
  ['Infinity', Number.POSITIVE_INFINITY, 'Infinity'],
  ['bigint', 12n, '12'],
  ['symbol', Symbol('s'), 'Symbol(s)'],
  ['null', null, 'null'],
  ['an error', new Error('boom'), 'boom'],
  ['an object', { a: 1 }, '{"a":1}'],
  ['a circular object', circular, '[unprintable]'],
  [
    'a throwing toJSON',
    {
      toJSON: () => {
        throw new Error('no');
      },
    },
    '[unprintable]',
  ],
  ['an odd array', [1, circular, undefined], ['1', '[unprintable]', 'undefined']],
];

describe('jsonLine', () => {
  it('holds time, level, message and fields', () => {
    expect(jsonLine(entry({ workload: 'shop/web', count: 2, dry: false, sources: ['cm/a'], none: undefined }))).toBe(
      '{"time":"2026-01-01T00:00:00.000Z","level":"info","message":"restarted","workload":"shop/web","count":2,"dry":false,"sources":["cm/a"]}',
    );
  });

  it('keeps its own fields when a custom field has the same name', () => {
    expect(JSON.parse(jsonLine(entry({ level: 'x', message: 'y', time: 'z' })))).toEqual({
      time: '2026-01-01T00:00:00.000Z',
      level: 'info',
      message: 'restarted',
      'fields.level': 'x',
      'fields.message': 'y',
      'fields.time': 'z',
    });
  });

  it.each(oddValues)('prints %s', (_name, value, printed) => {
    expect(JSON.parse(jsonLine(entry({ value })))).toMatchObject({ value: printed });
  });

  it('prints the other fields when a getter throws', () => {
    const fields = {
      get bad(): string {
        throw new Error('no');
      },
      good: 'yes',
    };
    expect(JSON.parse(jsonLine(entry(fields)))).toMatchObject({ bad: '[unprintable]', good: 'yes' });
  });
});

describe('consoleLine', () => {
  it('is readable, and quotes only what needs it', () => {
    const fields = { workload: 'shop/web', because: 'changed keys', count: 2, sources: ['cm/a', 'b c'], empty: '' };
    expect(consoleLine(entry(fields))).toBe(
      '2026-01-01T00:00:00.000Z INFO  restarted workload=shop/web because="changed keys" count=2 sources=[cm/a,"b c"] empty=""',
    );
  });

  it('escapes line breaks and terminal escapes in message and fields', () => {
    expect(consoleLine(entry({ value: 'a\nb\u001b[2J\u009b' }, 'one\ntwo\u001b[0m'))).toBe(
      '2026-01-01T00:00:00.000Z INFO  one\\ntwo\\u001b[0m value="a\\nb\\u001b[2J\\u009b"',
    );
  });

  it.each(oddValues)('prints %s', (_name, value) => {
    expect(consoleLine(entry({ value }))).toContain(' value=');
  });
});

describe('any line', () => {
  it.each(['\u007f', '\u009b', '\u2028', '\u202e', '\u200b', '\ufeff'])(
    'has %j escaped, in both formats, and JSON parses it back',
    (control) => {
      const line = entry({ name: control }, `before${control}after`);
      const code = control.charCodeAt(0).toString(16).padStart(4, '0');
      for (const text of [jsonLine(line), consoleLine(line)]) {
        expect(text).toContain(`before\\u${code}after`);
        expect(text).not.toContain(control);
      }
      expect(JSON.parse(jsonLine(line))).toMatchObject({ message: `before${control}after`, name: control });
    },
  );

  it('cuts a long text, and marks the cut', () => {
    const long = 'ü'.repeat(1_000_000);
    for (const fields of [{ value: long }, { value: [long] }, { value: new Error(long) }, { value: { long } }]) {
      for (const text of [jsonLine(entry(fields, long)), consoleLine(entry(fields, long))]) {
        expect(Buffer.byteLength(text)).toBeLessThan(17_000);
        expect(text.match(/ü…/g)).toHaveLength(2);
        expect(text.split('\n')).toHaveLength(1);
      }
    }
  });

  it('is one printable line, for any fields', () => {
    fc.assert(
      fc.property(anyText, fc.dictionary(fc.string(), fc.anything()), (message, fields) => {
        for (const line of [jsonLine(entry(fields, message)), consoleLine(entry(fields, message))]) {
          expect(line).toBe(printable(line));
        }
        expect(() => JSON.parse(jsonLine(entry(fields, message))) as unknown).not.toThrow();
      }),
    );
  });
});
