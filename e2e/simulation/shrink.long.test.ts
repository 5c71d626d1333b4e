import { expect, it, jest } from '@jest/globals';
import { shrink } from './shrink';
import { simulate } from './simulation';
import { drawWorld } from './world';

jest.setTimeout(600_000);

it('a failing world is reduced to the steps that the failure needs', async () => {
  const wrong = { ignoredSourceKind: 'Secret' } as const;
  for (let seed = 1; ; seed++) {
    const world = drawWorld(seed);
    const { violations } = await simulate(world, wrong);
    if (world.calm || violations[0]?.promise !== 'missed change') continue;
    const smallest = await shrink(world, 'missed change', wrong);
    expect(smallest.steps.length).toBeLessThan(world.steps.length);
    expect(smallest.weather).toEqual([]);
    expect((await simulate(smallest, wrong)).violations[0]?.promise).toBe('missed change');
    return;
  }
});
