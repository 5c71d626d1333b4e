import { expect, it } from '@jest/globals';
import { latencyFigures } from './latency';
import { holds } from './result';

/** Rounds of changes. Each number is the time in ms since the change was sent; it was answered 1 ms later. */
const rounds = (...ofRounds: readonly (readonly number[])[]) =>
  ofRounds.map((round) => round.map((ms) => ({ sinceSentMs: ms, sinceAnsweredMs: ms - 1 })));

const rest = { cpuMs: { subject: 3, floor: 1 }, reads: 0 };

const figures = new Map(
  latencyFigures([
    // In the second round, the machine was half as fast for both.
    { size: 50, subject: rounds([5, 6, 7], [10, 12, 14]), floor: rounds([4, 5, 6], [8, 10, 12]), ...rest },
    { size: 2_000, subject: rounds([10, 11, 50]), floor: rounds([4, 5, 6]), ...rest },
  ]).map((figure) => [figure.name, figure]),
);

it.each([
  ['50 workloads, p50', 9, undefined],
  ['50 workloads, p50 of the floor', 7.5, undefined],
  ['50 workloads, p50 in floors', 1.2, true],
  ['50 workloads, p50 since the answer to the write', 8, undefined],
  ['2000 workloads, p50 in floors', 2.2, false],
  ['2000 workloads, p99 in floors', 49.22 / 5.98, false],
  ['p50 with 2000 workloads, in that with 50', 11 / 9, undefined],
  ['the same of the floor, whose work stays the same', 5 / 7.5, undefined],
  ['growth of p50, in that of the floor', 11 / 9 / (5 / 7.5), false],
])('%s', (name, value, isHeld) => {
  const figure = figures.get(name);
  expect(figure?.value).toBeCloseTo(value);
  expect(figure && holds(figure)).toBe(isHeld);
});
