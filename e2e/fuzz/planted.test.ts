import { rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from '@jest/globals';
import { bundleChild, bundleFolder, bundleTarget } from './bundle';
import { runTarget } from './run-target';

afterAll(() => rmSync(bundleFolder, { recursive: true }));

/** The other kinds of bugs, and a parser with none, are in `planted.long.test.ts`. */
describe('a bug that was planted', () => {
  it('as a crash is found, and told with an input that was made small', async () => {
    const [bundle, child] = await Promise.all([bundleTarget('e2e/fuzz/planted/crash.ts'), bundleChild()]);
    const limits = { ms: Infinity, executions: 20_000, findings: 1 };
    const { findings } = await runTarget({ bundle, child, corpus: [], seed: 1, limits });
    expect(findings).toEqual([
      {
        kind: 'throws',
        what: expect.stringMatching(/^TypeError: planted/) as unknown,
        input: expect.any(Buffer) as unknown,
      },
    ]);
    const [{ input } = { input: Buffer.alloc(0) }] = findings;
    expect(input.toString()).toMatch(/xyzzy-42/);
    expect(input.length).toBeLessThan(100);
  });
});
