import { expect, it } from '@jest/globals';
import { holds } from '../result';
import { pacedFigures, type PacedRestarts } from './paced-fleet';

const changes = ['team-0/app-0', 'team-1/app-0', 'team-0/app-1', 'team-1/app-1'].map((deployment, index) => ({
  ...{ deployment, atMs: index * 10 },
}));
const seen: PacedRestarts = {
  size: 4,
  inEach: 2,
  cpuSeconds: 0.02,
  changes,
  patchedMs: [0, 20, 10, 1_005],
};

const tell = (all: PacedRestarts) =>
  Object.fromEntries(pacedFigures(all).map((figure) => [figure.name, [figure.value, holds(figure)]]));

it('holds every bar', () =>
  expect(tell(seen)).toEqual({
    'at a rate of 100/s: PATCHes in any second, the most': [3, true],
    'at that rate: restarts a second, before the later wave': [100, true],
    'at that rate: CPU for a restart': [5, undefined],
    'restarts of a later wave before the last of an earlier one': [0, true],
    'paced: Deployments not restarted exactly once': [0, true],
  }));

it('misses those of a rate and an order that are not kept, and of restarts that come twice', () => {
  const many = Array.from({ length: 130 }, (_, index) => ({ deployment: `team-1/app-${index % 100}`, atMs: index }));
  const early = { deployment: 'team-0/app-1', atMs: 0 };
  const patchedMs = [...Array.from({ length: 121 }, (_, index) => index), 5_000];
  expect(tell({ ...seen, size: 123, changes: [early, ...many, ...changes], patchedMs })).toMatchObject({
    'at a rate of 100/s: PATCHes in any second, the most': [121, false],
    'at that rate: restarts a second, before the later wave': [24.2, false],
    'restarts of a later wave before the last of an earlier one': [1, false],
    'paced: Deployments not restarted exactly once': [54, false],
  });
});
