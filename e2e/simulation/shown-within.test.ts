import { expect, it } from '@jest/globals';
import { shownWithinMs } from './shown-within';
import { drawWorld, type World } from './world';

const quiet: World = {
  ...drawWorld(1),
  ...{ steps: [], weather: [], dark: undefined, watchWindow: 1_000, lagMs: new Map(), maxLatencyMs: 5 },
};

it.each<[string, Partial<World>, number]>([
  ['soon, if nothing is wrong', {}, 3_010],
  ['after the lag of the slowest watch', { lagMs: new Map([['secrets', 20_000]]) }, 23_010],
  ['whenever a crashed process is back', { steps: [{ kind: 'crash', atMs: 1, seed: 1, uponWrite: false }] }, Infinity],
  ['whenever a kind is seen to be served', { features: { ...quiet.features, csi: { servedAtMs: 5_000 } } }, Infinity],
  [
    'soon, if the kind was served from the beginning',
    { features: { ...quiet.features, csi: { servedAtMs: 0 } } },
    3_010,
  ],
])('a write is shown %s', (_when, world, expected) => {
  expect(shownWithinMs({ ...quiet, ...world })).toBe(expected);
});
