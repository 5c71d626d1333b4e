import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { plantedBugs } from './planted-bugs';
import { simulate } from './simulation';
import { drawWorld } from './world';

jest.setTimeout(60_000);

/** Each of them is found far sooner than the 2,000 seeds that are promised. */
const seeds = 400;

describe('an engine that is wrong on purpose', () => {
  let takeOut = (): void => undefined;
  afterEach(() => takeOut());

  it.each(plantedBugs.map((bug) => [bug.what, bug] as const))('is found: %s', async (_what, { settings, plant }) => {
    takeOut = plant?.() ?? (() => undefined);
    let foundAt: number | undefined;
    for (let seed = 1; seed <= seeds && foundAt === undefined; seed++) {
      const { violations } = await simulate(drawWorld(seed), settings);
      if (violations.length > 0) foundAt = seed;
    }
    expect(foundAt).toBeDefined();
  });

  it('is not found where there is none', async () => {
    for (let seed = 1; seed <= 20; seed++) expect((await simulate(drawWorld(seed))).violations).toEqual([]);
  });
});
