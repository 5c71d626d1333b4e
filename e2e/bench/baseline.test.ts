import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createTemporaryDir } from '../control-plane/temporary-dir';
import { Baseline } from './baseline';
import type { BenchResult } from './result';

const temporary = createTemporaryDir();
const file = join(temporary.dir, 'baseline.json');
afterAll(() => temporary.dispose());

const machine = { cpu: 'Some CPU', cores: 2, memoryGib: 8, system: 'Linux', node: 'v20', loadBefore: 0.1 };
const resultOf = (bench: string, ...values: readonly number[]): BenchResult => ({
  ...{ bench, machine, conditions: {} },
  figures: values.map((value, index) => ({ name: `figure ${index}`, value, unit: 'ms' })),
});

describe('the baseline', () => {
  it('keeps the figures of each bench until they are stored anew', () => {
    writeFileSync(file, '{}');
    const baseline = Baseline.read(file);
    baseline.store(resultOf('memory', 1.23456, 2));
    baseline.store(resultOf('latency', 3));
    baseline.store(resultOf('memory', 4));
    const read = Baseline.read(file);
    expect([...read.of('memory')]).toEqual([['figure 0', 4]]);
    expect([...read.of('latency')]).toEqual([['figure 0', 3]]);
    expect(read.of('idle').size).toBe(0);
  });

  it('has no more digits than were measured, and nothing that is no number', () => {
    writeFileSync(file, '{}');
    Baseline.read(file).store(resultOf('memory', 1234.5678, NaN));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      memory: { machine: 'Some CPU, 2 cores, 8 GiB, Node v20', figures: { 'figure 0': 1235 } },
    });
  });

  it('is not made of anything else', () => {
    writeFileSync(file, '{"memory": {"figures": {"figure 0": "fast"}}}');
    expect(() => Baseline.read(file)).toThrow();
  });
});
