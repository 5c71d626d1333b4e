import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { provableBugs } from './provable-bugs';
import { testedMutants } from './tested-mutants';

describe('each planted bug', () => {
  const mutations = provableBugs.flatMap(({ what, mutation }) => (mutation ? [{ ...mutation, what }] : []));

  it.each([...mutations, ...testedMutants].map((mutant) => [mutant.what, mutant] as const))(
    'replaces a text that is in its file exactly once: %s',
    (_what, { file, from, to }) => {
      expect(readFileSync(file, 'utf8').split(from)).toHaveLength(2);
      expect(to).not.toBe(from);
    },
  );

  it('has a unique name', () => {
    const names = [...provableBugs, ...testedMutants].map(({ what }) => what);
    expect(new Set(names).size).toBe(names.length);
  });
});
