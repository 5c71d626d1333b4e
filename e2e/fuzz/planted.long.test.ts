import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rmSync } from 'node:fs';
import { bundleChild, bundleFolder, bundleTarget } from './bundle';
import { runTarget, type TargetResult } from './run-target';

let child: string;

beforeAll(async () => {
  child = await bundleChild();
});

afterAll(() => rmSync(bundleFolder, { recursive: true }));

async function fuzz(name: string, executions: number, { seed = 1, hangMs = 30_000 } = {}): Promise<TargetResult> {
  const bundle = await bundleTarget(`e2e/fuzz/planted/${name}.ts`);
  const limits = { ms: Infinity, executions, findings: 1 };
  return await runTarget({ bundle, child, corpus: [], seed, limits, hangMs, distil: true });
}

describe('a bug that was planted', () => {
  it.each([
    ['crash', 'throws', 20_000, /^TypeError: planted/],
    ['quadratic', 'slow', 10_000, /^\d+ ms for \d+ bytes$/],
    ['leak', 'keeps', 10_000, /^\d+ KiB stay after \d+ inputs, \d+ KiB of them after one$/],
    ['exhaustion', 'exhausts', 10_000, /^a heap of \d+ MiB is too small$/],
    ['pollution', 'pollutes', 10_000, /prototype/],
  ])('as a %s is found: it %s', async (name, kind, executions, what) => {
    const { findings } = await fuzz(name, executions);
    expect(findings).toContainEqual({
      kind,
      what: expect.stringMatching(what) as unknown,
      input: expect.any(Buffer) as unknown,
    });
  });

  it('as a hang is found', async () => {
    const { findings } = await fuzz('hang', 10_000, { hangMs: 3_000 });
    expect(findings.map(({ kind, what }) => `${kind}: ${what}`)).toEqual(['hangs: no end after 3 s']);
    expect(findings[0]?.input.at(-1)).toBe('\\'.charCodeAt(0));
  });

  it('is told with an input that was made small', async () => {
    const { findings } = await fuzz('crash', 20_000);
    const [{ input } = { input: Buffer.alloc(0) }] = findings;
    expect(input.toString()).toMatch(/xyzzy-42/);
    expect(input.length).toBeLessThan(100);
  });
});

describe('a parser with which nothing is wrong', () => {
  it('has no findings, and all its blocks are reached', async () => {
    const { findings, coveredBlocks, blocks } = await fuzz('sound', 5_000);
    expect(findings).toEqual([]);
    expect(blocks).toBeGreaterThan(5);
    expect(coveredBlocks).toBe(blocks);
  });

  it('is walked through the same way with the same seed', async () => {
    const [one, same, other] = [
      await fuzz('sound', 2_000),
      await fuzz('sound', 2_000),
      await fuzz('sound', 2_000, { seed: 2 }),
    ];
    expect(same.distilled).toEqual(one.distilled);
    expect(other.corpus).toBeGreaterThan(0);
  });
});
