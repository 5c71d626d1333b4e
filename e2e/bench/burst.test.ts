import { expect, it } from '@jest/globals';
import { burstFigures, longestPause } from './burst';
import { holds } from './result';

const run = (...counts: readonly number[]) => ({
  ...{ editsTookMs: 900, longestPauseMs: 300, restartsTookMs: 1_100, writes: counts.length },
  restarts: new Map(counts.map((count, index) => [`app-${index}`, count] as const)),
});

const tell = (...runs: Parameters<typeof burstFigures>[0]) =>
  burstFigures(runs, 3)
    .slice(0, 2)
    .map((figure) => [figure.value, holds(figure)]);

it.each([
  ['each once', [run(1, 1, 1), run(1, 1, 1)], [3, true], [0, true]],
  ['one too many, in one run', [run(1, 1, 1), run(1, 2, 1)], [4, false], [1, false]],
  ['one too few', [run(1, 1, 1), run(1, 1)], [2, false], [1, false]],
  ['one too many and one too few', [run(2, 1)], [3, true], [2, false]],
])('%s', (_what, runs, ...expected) => expect(tell(...runs)).toEqual(expected));

it('a pause is as long as it may have been', () => {
  const edits = [
    { sentMs: 0, answeredMs: 5 },
    { sentMs: 10, answeredMs: 15 },
    { sentMs: 200, answeredMs: 210 },
  ];
  expect(longestPause(edits)).toBe(200);
  expect(longestPause(edits.slice(0, 1))).toBe(0);
});
