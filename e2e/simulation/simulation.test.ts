import { describe, expect, it, jest } from '@jest/globals';
import { longForm } from '../../shared/runtime/long-form.fixture';
import { runBatch, seedsFrom } from './batch';
import { simulate } from './simulation';
import { drawWorld } from './world';

jest.setTimeout(600_000);

// CI runs 2,000 worlds with `npm run sim`, which also demands every situation.
const worlds = longForm(100, 6);

describe('simulated worlds', () => {
  it('keep every promise', async () => {
    const violations: string[] = [];
    await runBatch(seedsFrom(1, worlds), 2, (report) => {
      violations.push(...report.violations.map((violation) => `seed ${report.seed}: ${violation}`));
      return undefined;
    });
    expect(violations).toEqual([]);
  });

  it.each([3, 42])('with seed %i produce the same story in every run', async (seed) => {
    const first = await simulate(drawWorld(seed));
    const second = await simulate(drawWorld(seed));
    expect(first.story.length).toBeGreaterThan(5);
    expect(second.story).toEqual(first.story);
  });
});
