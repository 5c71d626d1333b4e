import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { runBatch, seedsFrom } from './batch';
import { featureMutants } from './feature-mutants';
import { noFeatures } from './features';
import { marksMutants } from './marks-mutants';
import { mutants, type Mutant } from './mutants';
import { plantedBugs } from './planted-bugs';
import { simulate } from './simulation';
import type { SeedReport } from './worker';
import { drawWorld } from './world';

jest.setTimeout(120_000);

/** Each of them is found in half of the 2,000 seeds that are promised. */
const seeds = 1_000;
/** A quarter of them have a webhook, and a few of those the flood that a bound is for. */
const seedsOfWebhooks = 2_000;
/** Each feature is in some of them. */
const seedsOfFeatures = 2_000;

describe('an engine that is wrong on purpose', () => {
  let takeOut = (): void => undefined;
  afterEach(() => takeOut());

  it.each(plantedBugs.map((bug) => [bug.what, bug] as const))('is found: %s', async (_what, bug) => {
    const { among = () => true, settings, plant } = bug;
    takeOut = plant?.() ?? (() => undefined);
    let foundAt: number | undefined;
    for (let seed = 1; seed <= seeds && foundAt === undefined; seed++) {
      const world = drawWorld(seed);
      if (!among(world)) continue;
      const { violations } = await simulate(world, settings);
      if (violations.length > 0) foundAt = seed;
    }
    expect(foundAt).toBeDefined();
  });

  it('is not found where there is none', async () => {
    for (let seed = 1; seed <= 20; seed++) expect((await simulate(drawWorld(seed))).violations).toEqual([]);
  });
});

async function isFound(mutant: Mutant, among: readonly number[]): Promise<boolean> {
  let found = false;
  const look = ({ violations }: SeedReport): 'enough' | undefined => {
    found ||= violations.length > 0;
    return found ? 'enough' : undefined;
  };
  await runBatch(among, 2, look, mutant);
  return found;
}

describe('a pause, an appearance or a selection that is wrong on purpose', () => {
  const plain = JSON.stringify(noFeatures);
  const withFeatures = seedsFrom(1, seedsOfFeatures).filter(
    (seed) => JSON.stringify(drawWorld(seed).features) !== plain,
  );

  it.each(featureMutants.map((mutant) => [mutant.what, mutant] as const))('is found: %s', async (_what, mutant) => {
    expect(await isFound(mutant, withFeatures)).toBe(true);
  });
});

describe('a webhook, channel or confirmation that is wrong on purpose', () => {
  const withWebhook = seedsFrom(1, seedsOfWebhooks).filter((seed) => drawWorld(seed).hybrid !== undefined);

  it.each([...mutants, ...marksMutants].map((mutant) => [mutant.what, mutant] as const))(
    'is found: %s',
    async (_what, mutant) => {
      expect(await isFound(mutant, withWebhook)).toBe(true);
    },
  );

  it('is looked for where its text is', async () => {
    const moved = { file: 'reconciler/channel/hints.ts', from: 'a text that is not there', to: '' };
    await expect(runBatch([1], 1, () => undefined, moved)).rejects.toThrow('has no text');
  });
});
