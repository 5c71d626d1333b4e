import { describe, expect, it } from '@jest/globals';
import { asJson, asText, holds, type BenchResult } from './result';

const result: BenchResult = {
  bench: 'admission',
  machine: { cpu: 'Some CPU', cores: 2, memoryGib: 8, system: 'Linux', node: 'v20', loadBefore: 0.1 },
  conditions: { 'size of a Secret': '16 KiB' },
  figures: [
    { name: 'own time, p99', value: 1.234, unit: 'ms', bar: { atMost: 3 } },
    { name: 'reviews', value: 1_400, unit: '/s', runs: [1_300, 1_400, 1_900], bar: { atLeast: 1_500 } },
    { name: 'dropped', value: 0, unit: '' },
  ],
};

describe('a bar', () => {
  it.each([
    [{ atMost: 3 }, 3, true],
    [{ atMost: 3 }, 3.01, false],
    [{ atLeast: 3 }, 3, true],
    [{ atLeast: 3 }, 2.99, false],
    [{ atMost: 3 }, NaN, false],
  ])('%p and %p: %p', (bar, value, expected) => {
    expect(holds({ name: 'n', unit: '', value, bar })).toBe(expected);
  });

  it('is not missed where there is none', () => {
    expect(holds({ name: 'n', unit: '', value: 1 })).toBeUndefined();
  });
});

describe('a result', () => {
  it('is a table for people', () => {
    expect(asText(result).split('\n')).toEqual([
      'bench admission',
      '  Some CPU, 2 cores, 8 GiB; Linux; Node v20; load before 0.1',
      '  size of a Secret: 16 KiB',
      '',
      'own time, p99  1.23 ms                              holds: at most 3.00 ms',
      'reviews        1400 /s  median of 3 (1300 to 1900)  MISSED: at least 1500 /s',
      'dropped        0.00',
    ]);
  });

  it('is put beside figures of an earlier run', () => {
    const before = new Map([
      ['own time, p99', 2],
      ['dropped', 0],
    ]);
    const rows = asText(result, before).split('\n').slice(4);
    expect(rows[0]).toMatch(/before: 2\.00 ms, -38 %$/);
    expect(rows[1]).not.toContain('before');
    expect(rows[2]).toMatch(/before: 0\.00$/);
  });

  it('is an object for programs', () => {
    const { bench, figures } = JSON.parse(asJson(result)) as { bench: string; figures: object[] };
    expect(bench).toBe('admission');
    expect(figures[0]).toMatchObject({ value: 1.234, holds: true });
    expect(figures[1]).toMatchObject({ runs: [1_300, 1_400, 1_900], holds: false });
    expect(figures[2]).not.toHaveProperty('holds');
  });
});
