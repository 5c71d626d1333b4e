import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { runBatch } from './batch';
import { prove } from './prove';
import { proveTests, type RunTests } from './prove-tests';
import { provableBugs } from './provable-bugs';
import type { TestedMutant } from './mutants';

const said: string[] = [];
const proved = async (what: string | undefined, seeds: number): Promise<readonly unknown[]> => {
  said.length = 0;
  const bugs =
    what === undefined ? [{ what: 'nothing', among: () => true }] : provableBugs.filter((bug) => bug.what === what);
  return [await prove(bugs, (line) => said.push(line), seeds), ...said];
};

describe('a planted bug in the engine', () => {
  it('is reported with the seed that finds it', async () => {
    const found = await proved('nobody uses a source', 50);
    expect(found).toEqual([0, expect.stringMatching(/^found by seed \d+: nobody uses a source$/)]);
  });

  it('is found if it replaces a piece of source text', async () => {
    const what = 'who asks for one kind of sources is restarted for all';
    expect(await proved(what, 50)).toEqual([0, expect.stringMatching(new RegExp(`^found by seed \\d+: ${what}$`))]);
  });

  it('is counted as not found if no seed finds it', async () => {
    expect(await proved(undefined, 3)).toEqual([1, 'NOT FOUND in 3 seeds: nothing']);
  });
});

describe('a planted bug that a test must find', () => {
  const bug: TestedMutant = {
    what: 'no window',
    file: 'reconciler/worker/settle-window.ts',
    from: 'firstMs + settleMaxMs)',
    to: 'firstMs)',
    test: 'reconciler/worker/settle-window.test.ts',
  };
  const lines: string[] = [];
  const say = (line: string): void => void lines.push(line);
  const copied = ['reconciler/worker'];
  const planted = (folder: string): boolean => !readFileSync(`${folder}/${bug.file}`, 'utf8').includes(bug.from);

  beforeEach(() => void lines.splice(0));

  it('is planted in a copy after its test passed without it, and is reported with the test', async () => {
    const runs: unknown[] = [];
    const run: RunTests = (folder, tests) => {
      runs.push([planted(folder), ...tests]);
      return Promise.resolve({ passed: !planted(folder), said: '' });
    };
    expect(await proveTests([bug, { ...bug, what: 'the same' }], say, run, copied)).toBe(0);
    expect(lines).toEqual([`found by ${bug.test}: no window`, `found by ${bug.test}: the same`]);
    expect(runs).toEqual([
      [false, bug.test],
      [true, bug.test],
      [true, bug.test],
    ]);
    expect(planted('.')).toBe(false);
  });

  it('is counted as not found if its test still passes', async () => {
    expect(await proveTests([bug], say, () => Promise.resolve({ passed: true, said: '' }), copied)).toBe(1);
    expect(lines).toEqual([`NOT FOUND by ${bug.test}: no window`]);
  });

  it('is not planted if its test fails without it', async () => {
    const failing = proveTests([bug], say, () => Promise.resolve({ passed: false, said: 'expected 1' }), copied);
    await expect(failing).rejects.toThrow('a test fails without a planted bug:\nexpected 1');
    expect(lines).toEqual([]);
  });
});

describe('each planted bug', () => {
  it('is rejected if its file does not contain the text to replace', async () => {
    const mutation = { file: 'reconciler/hints/hints.ts', from: 'a text that is not there', to: '' };
    await expect(runBatch([1], 1, () => undefined, { mutation })).rejects.toThrow('has no text');
  });
});
